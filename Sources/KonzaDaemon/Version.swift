/// The version of the programs (Semantic Versioning 2.0.0).
public enum Version {
    public static let number = "0.1.0"
}
