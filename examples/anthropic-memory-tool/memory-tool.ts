import { type MemoryFile, type MemoryFiles, ROOT } from './files.js';
import { listing, numbered } from './views.js';

/** The input of a call of Anthropic's memory tool, `memory_20250818`. */
export type MemoryCommand =
  | { command: 'view'; path: string; view_range?: [first: number, last: number] }
  | { command: 'create'; path: string; file_text: string }
  | { command: 'str_replace'; path: string; old_str: string; new_str: string }
  | { command: 'insert'; path: string; insert_line: number; insert_text: string }
  | { command: 'delete'; path: string }
  | { command: 'rename'; old_path: string; new_path: string };

/** The parts of a `tool_result` block. */
export interface ToolResult {
  content: string;
  is_error?: true;
}

/** The model asked for something that is not possible. The message is for the model. */
class CommandError extends Error {
  override name = 'CommandError';
}

/** Runs a command of the model. Failures of the service are thrown; mistakes of the model are results. */
export async function runCommand(files: MemoryFiles, command: MemoryCommand): Promise<ToolResult> {
  try {
    return { content: await run(files, command) };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { content: error.message, is_error: true };
  }
}

function run(files: MemoryFiles, command: MemoryCommand): Promise<string> {
  switch (command.command) {
    case 'view':
      return view(files, toPath(command.path), command.view_range);
    case 'create':
      return create(files, toPath(command.path), command.file_text);
    case 'str_replace':
      return replace(files, toPath(command.path), command.old_str, command.new_str);
    case 'insert':
      return insert(files, toPath(command.path), command.insert_line, command.insert_text);
    case 'delete':
      return remove(files, toPath(command.path));
    case 'rename':
      return rename(files, toPath(command.old_path), toPath(command.new_path));
  }
}

async function view(files: MemoryFiles, path: string, range?: [number, number]): Promise<string> {
  const file = await files.find(path);
  if (!file) {
    const below = await files.below(path);
    if (below.length === 0 && path !== ROOT) throw missing(path);
    return listing(path, below);
  }
  const lines = file.text.split('\n');
  const [first, last] = range ?? [1, -1];
  const end = last === -1 ? lines.length : last;
  if (first < 1 || end > lines.length || first > end) {
    throw new CommandError(`Error: Invalid \`view_range\`: the lines of ${path} are 1 to ${lines.length}`);
  }
  return `Here's the content of ${path} with line numbers:\n${numbered(lines.slice(first - 1, end), first)}`;
}

async function create(files: MemoryFiles, path: string, text: string): Promise<string> {
  if (await exists(files, path)) throw new CommandError(`Error: File ${path} already exists`);
  await files.write(path, text);
  return `File created successfully at: ${path}`;
}

async function replace(files: MemoryFiles, path: string, old: string, replacement: string): Promise<string> {
  const { text } = await fileAt(files, path);
  const parts = old === '' ? [text] : text.split(old);
  if (parts.length === 1) {
    throw new CommandError(`No replacement was performed, old_str \`${old}\` did not appear verbatim in ${path}.`);
  }
  if (parts.length > 2) {
    const lines = parts.slice(0, -1).map((_, index) => lineOf(parts.slice(0, index + 1).join(old)));
    throw new CommandError(
      `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ${lines.join(', ')}. Please ensure it is unique`,
    );
  }
  await files.write(path, parts.join(replacement));
  const first = lineOf(parts[0] ?? '');
  const changed = parts
    .join(replacement)
    .split('\n')
    .slice(first - 1, first + replacement.split('\n').length - 1);
  return `The memory file has been edited.\n${numbered(changed, first)}`;
}

async function insert(files: MemoryFiles, path: string, line: number, text: string): Promise<string> {
  const file = await fileAt(files, path);
  const lines = file.text === '' ? [] : file.text.split('\n');
  if (!Number.isInteger(line) || line < 0 || line > lines.length) {
    throw new CommandError(
      `Error: Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
    );
  }
  await files.write(path, lines.toSpliced(line, 0, text.replace(/\n$/, '')).join('\n'));
  return `The file ${path} has been edited.`;
}

async function remove(files: MemoryFiles, path: string): Promise<string> {
  if (path === ROOT) throw new CommandError(`Error: ${ROOT} cannot be deleted`);
  const file = await files.find(path);
  const doomed = file ? [file] : await files.below(path);
  if (doomed.length === 0) throw missing(path);
  for (const each of doomed) await files.remove(each);
  return `Successfully deleted ${path}`;
}

async function rename(files: MemoryFiles, from: string, to: string): Promise<string> {
  const file = await files.find(from);
  const moved = file ? [file] : await files.below(from);
  if (moved.length === 0 || from === ROOT) throw missing(from);
  if (await exists(files, to)) throw new CommandError(`Error: The destination ${to} already exists`);
  if (to.startsWith(`${from}/`)) throw new CommandError(`Error: ${to} is inside of ${from}`);
  for (const each of moved) {
    await files.write(to + each.path.slice(from.length), each.text);
    await files.remove(each);
  }
  return `Successfully renamed ${from} to ${to}`;
}

async function exists(files: MemoryFiles, path: string): Promise<boolean> {
  return path === ROOT || (await files.find(path)) !== undefined || (await files.below(path)).length > 0;
}

async function fileAt(files: MemoryFiles, path: string): Promise<MemoryFile> {
  const file = await files.find(path);
  if (!file) throw missing(path);
  return file;
}

function missing(path: string): CommandError {
  return new CommandError(`Error: The path ${path} does not exist. Please provide a valid path.`);
}

/** Returns a path without a slash at its end. Rejects paths outside of the folder. */
function toPath(path: string): string {
  const bare = path.replace(/\/+$/, '');
  const [start, root, ...names] = bare.split('/');
  const isInside = start === '' && `/${root}` === ROOT && names.every((name) => !['', '.', '..'].includes(name));
  if (!isInside) throw new CommandError(`Error: The path ${path} is not in ${ROOT}`);
  return bare;
}

/** Returns the number of the line in which a text ends. */
function lineOf(text: string): number {
  return text.split('\n').length;
}
