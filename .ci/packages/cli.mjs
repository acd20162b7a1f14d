import { bin, run } from './processes.mjs';

const CONTENT = 'The harbour gate closes at ten.';

/** Runs the first commands of a user of the installed command line. */
export async function checkCli(cwd, { env }, version, print) {
  const memory = async (...args) => {
    const { code, output, stdout } = await run(bin(cwd, 'memory'), args, { cwd, env });
    print(`memory ${args.join(' ')}: ${stdout.trimEnd().split('\n').at(-1)}`);
    return { code, output };
  };
  const commands = [
    [['--version'], `/${version} `],
    [['add', CONTENT], 'created'],
    [['search', 'when does the harbour gate close?', '--limit', '1'], CONTENT],
  ];
  const faults = [];
  for (const [args, expected] of commands) {
    const { code, output } = await memory(...args);
    if (code !== 0 || !output.includes(expected)) faults.push(`memory ${args[0]} ended with ${code}:\n${output}`);
  }
  return faults;
}
