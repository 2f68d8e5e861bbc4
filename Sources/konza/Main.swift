internal import Glibc
internal import KonzaCommand

@main
enum Main {
    static func main() async {
        exit(await CommandLineTool.run(arguments: Array(CommandLine.arguments.dropFirst())))
    }
}
