/// Answers as a station gives them, in JSON.
enum Replies {
    static let position = """
        {"state":"fix","latitude":39.1069123,"longitude":-96.6091456,"altitude":386.1,"altitudeMSL":415.2,
        "accuracy":4.2,"accuracySource":"receiver","confidence":0.95,"fixType":"3d","fixStatus":"dgps",
        "timestamp":"2026-05-30T14:03:06.000Z","ageMs":812,"source":"live","seq":7,"novelty":1}
        """

    static let status = """
        {"name":"konzad","version":"0.1.0","startedAt":"2026-05-27T09:00:00.000Z","uptimeSeconds":277387,
        "health":{"level":"failed","kind":"disk-full","reason":"archive: the disk is full"},
        "position":{"health":{"level":"ok","kind":"ok","reason":"3D fix with 9 satellites"},"source":"live"},
        "camera":{"health":{"level":"degraded","kind":"recorded","reason":"recorded pictures are shown"},
        "source":"recorded"},
        "templates":{"health":{"level":"ok","kind":"ok","reason":"3 templates"}},
        "archive":{"health":{"level":"failed","kind":"disk-full","reason":
        "the disk is full: 12 kB are free and 268 MB are kept back; delete what is not needed on the disk"},
        "folder":"/var/lib/konza","postcards":128,"bytes":45200000,"freeBytes":12000,"reserveBytes":268435456},
        "clock":{"health":{"level":"ok","kind":"ok","reason":"synchronised"},"time":"2026-05-30T14:03:07.000Z",
        "timeSource":"gps","synchronized":true},
        "process":{"id":812,"residentBytes":21000000,"openDescriptors":34,"cpuSeconds":12.34}}
        """

    static let satellites = """
        {"state":"fix","ageMs":400,"source":"live","used":4,"visible":6,"dop":{"horizontal":0.9,"vertical":1.4},
        "satellites":[
        {"prn":13,"constellation":"GPS","svid":13,"elevation":90,"azimuth":0,"signal":46,"used":true},
        {"prn":5,"constellation":"GPS","svid":5,"elevation":45,"azimuth":180,"signal":38,"used":true},
        {"prn":70,"constellation":"GLONASS","svid":6,"elevation":30,"azimuth":270,"signal":22,"used":true},
        {"prn":303,"constellation":"Galileo","svid":3,"elevation":0,"azimuth":90,"signal":30,"used":true},
        {"prn":46,"constellation":"SBAS","svid":133,"elevation":30,"azimuth":225,"used":false},
        {"prn":99,"used":false,"healthy":false}]}
        """

    static let id = "01m7yk27pwtvfqpyxwrn22s8ht"

    static let postcard = """
        {"id":"\(id)","state":"kept","createdAt":"2026-05-30T14:03:07.100Z","requestedAt":"2026-05-30T14:03:07.000Z",
        "exposedAt":"2026-05-30T14:03:07.033Z","timeSource":"system","template":"vintage","place":"Konza Prairie",
        "message":"Hello\\u001b[31m from the tallgrass","width":1920,"height":1080,"bytes":201345,"source":"live",
        "stamping":{"way":"coefficients"},"path":"/var/lib/konza/postcards/x.jpg",
        "position":\(position),
        "links":{"image":"/v1/postcards/\(id)/image.jpg","thumbnail":"/v1/postcards/\(id)/thumbnail.jpg"}}
        """

    static let camera = """
        {"source":"live","health":{"level":"ok","kind":"ok","reason":"frames arrive"},"streaming":true,
        "device":{"path":"/dev/video0","card":"HD Webcam","driver":"uvcvideo","bus":"usb-1"},
        "format":{"fourcc":"MJPG","width":1920,"height":1080,"framesPerSecond":30},"lastFrameAgeMs":33,
        "previewClients":1,"counters":{"frames":12345,"sequenceGaps":2,"errorFlags":0},
        "controls":[
        {"name":"brightness","type":"integer","value":128,"minimum":0,"maximum":255,"step":1,"defaultValue":100,
        "writable":true},
        {"name":"exposure_auto","type":"menu","value":3,"menu":{"1":"Manual","3":"Aperture"},"writable":true},
        {"name":"focus_automatic","type":"boolean","value":1,"defaultValue":1,"writable":false}]}
        """
}
