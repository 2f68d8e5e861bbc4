import KonzaModel
import ObjectStore
import Testing

@Suite("Addresses, names and accounts of an object store")
struct AddressTests {
    @Test("an address is an origin and a bucket, and AWS's host names its region")
    func addresses() throws {
        let plain = try #require(ObjectStoreAddress("https://store.example.org:9000/konza-pictures/"))
        #expect(plain.description == "https://store.example.org:9000/konza-pictures" && plain.region == "us-east-1")
        #expect(ObjectStoreAddress("https://s3.eu-west-1.amazonaws.com/konza")?.region == "eu-west-1")
        #expect(ObjectStoreAddress("https://s3.eu-west-1.amazonaws.com/konza", region: "garage")?.region == "garage")
        #expect(ObjectStoreAddress("http://127.0.0.1:9000/konza") != nil)
        #expect(ObjectStoreAddress("http://[::1]:9000/konza")?.bucket == "konza")
    }

    @Test(
        "what is none is refused, and nothing goes without TLS to another machine",
        arguments: [
            "", "https://", "https:///konza", "https://host", "https://host/", "https://host/ko", "https://host/a/b",
            "http://host/konza", "ftp://host/konza", "https://user@host/konza", "https://host:0/konza",
            "https://host:70000/konza", "https://host:x/konza", "https://host/Konza", "https://host/konza?x",
            "https://host/ko..nza", "https://ho st/konza", "https://[::1/konza", "https://host/konza#x",
        ])
    func noAddress(_ text: String) { #expect(ObjectStoreAddress(text) == nil) }

    @Test("a name has only characters that every store signs alike")
    func keys() {
        #expect(ObjectKey("konza/knz07/2026/11/01j0000000000000000000000a.thumb.jpg") != nil)
        for text in ["", "/a", "a/", "a//b", "a/../b", "./a", "a b", "a=b", "a%20", "ä", "a?b", "a\n"] {
            #expect(ObjectKey(text) == nil, "\(text)")
        }
    }

    @Test("credentials are read from AWS's own form and are in no text")
    func credentials() throws {
        let file = """
            [default]
            aws_access_key_id = AKIAKONZA
            aws_secret_access_key=very/secret+words
            aws_session_token = token==
            """
        let read = try #require(ObjectCredentials(file: file))
        let given = ObjectCredentials(accessKey: "AKIAKONZA", secretKey: "very/secret+words", sessionToken: "token==")
        #expect(read == given)
        var dumped = ""
        dump(read, to: &dumped)
        for text in ["\(read)", String(reflecting: read), dumped, "\(Optional(read) as Any)"] {
            #expect(!text.contains("very") && !text.contains("token=") && text.contains("AKIAKONZA"), "\(text)")
        }
        for text in ["", "aws_access_key_id=A", "aws_secret_access_key=B", file + "\n" + file] {
            #expect(ObjectCredentials(file: text) == nil, "\(text)")
        }
        #expect(ObjectCredentials(accessKey: "a\nb", secretKey: "c") == nil)
    }
}
