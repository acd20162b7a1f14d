// Runs commands one after the other in this process, whose standard output is a terminal or a pipe. Starting Node for each
// would take most of the time. The file of steps is the only argument; the output has a line before each step.
import { readFileSync } from 'node:fs';
import { main } from '../dist/run.js';

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

const { steps, separator } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
/** The first id that a step printed, by the name of the step. */
const ids = {};
let printed = '';

for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream);
  stream.write = (text, ...rest) => {
    printed += String(text);
    return write(text, ...rest);
  };
}

for (const { command, args, env = {}, as } of steps) {
  // `{name}` stands for an id, and `{name:}` for its end.
  const words = args.map((word) => word.replace(/\{(\w+)(:?)\}/g, (_, name, end) => ids[name].slice(end ? -8 : 0)));
  const argv = [...command.split(' '), ...words];
  process.stdout.write(`${separator}${command}\n`);
  printed = '';
  process.exitCode = undefined;
  Object.assign(process.env, env);
  process.exitCode = (await main(argv)) ?? process.exitCode;
  for (const name of Object.keys(env)) delete process.env[name];
  if (as !== undefined) ids[as] = ID.exec(printed)?.[0] ?? '';
  process.stdout.write(`${separator}${process.exitCode ?? 0}\n`);
}
process.exit(0);
