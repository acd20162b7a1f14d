/** The text of `memory-mcp --help`. */
export const USAGE = `Serves the tools of Memory Service to a client that starts programs, over standard input and output.

Usage: memory-mcp [--help | --version]

Environment:
  MEMORY_BASE_URL         base URL of the service, such as https://memory.example.com
  MEMORY_TOKEN            access token
  MEMORY_ORGANIZATION_ID  organization to act in, if the token allows several
  MEMORY_SUBJECT_KEY      only memories about this subject: models neither see nor store others
  MEMORY_PROJECT          only memories of this project
  MEMORY_TOOLS            core for the six tools that most agents need; default: all

In development, the credentials.json that a server writes at its first start replaces the first two.
"memory mcp install" writes the settings of Claude, Cursor, VS Code and Codex.
`;
