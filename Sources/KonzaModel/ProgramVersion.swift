/// The version of the programs (Semantic Versioning 2.0.0), shared by the daemon and the command line.
public enum ProgramVersion {
    public static let number = "0.1.0"
}
