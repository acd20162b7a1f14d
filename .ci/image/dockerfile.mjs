/** Instructions that the check can follow. Others are faults: it would have to know what they do. */
const KNOWN = new Set([
  ...['ARG', 'FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'USER', 'VOLUME', 'EXPOSE', 'HEALTHCHECK', 'STOPSIGNAL', 'CMD'],
]);

/**
 * Reads the text of a Dockerfile into its stages.
 *
 * @returns for each stage its base image, its name and its steps: { name, rest, line }
 * @throws {Error} with the number of the line, if it cannot be read
 */
export function parseDockerfile(text) {
  const steps = instructions(text);
  const first = steps.findIndex(({ name }) => name === 'FROM');
  if (first < 0) throw fault(1, 'there is no FROM');
  const defaults = Object.fromEntries(steps.slice(0, first).map(argument));
  const stages = [];
  for (const step of steps.slice(first)) {
    if (step.name === 'FROM') stages.push(stageOf(step, defaults));
    else stages.at(-1).steps.push(step);
  }
  return stages;
}

/** Returns sources, target and stage of a COPY. */
export function readCopy({ rest, line }) {
  const [, from, paths] = /^(?:--from=(\S+) )?(?!--)(.+)$/.exec(rest) ?? [];
  const sources = paths?.split(/\s+/) ?? [];
  const target = sources.pop();
  if (sources.length === 0) throw fault(line, 'COPY needs a source and a target, and no flag but --from');
  return { from, sources, target };
}

/** Returns what the steps of a stage say about the containers of the image. */
export function containerSettings({ steps }) {
  const lastOf = (name) => steps.findLast((step) => step.name === name);
  const health = lastOf('HEALTHCHECK');
  return {
    env: Object.fromEntries(steps.filter(({ name }) => name === 'ENV').flatMap(assignments)),
    user: lastOf('USER')?.rest,
    workdir: lastOf('WORKDIR')?.rest ?? '/',
    volumes: steps.filter(({ name }) => name === 'VOLUME').flatMap(({ rest }) => rest.split(/\s+/)),
    health: health && list({ ...health, rest: /(?:^|\s)CMD (.*)$/.exec(health.rest)?.[1] ?? '' }),
    stopSignal: lastOf('STOPSIGNAL')?.rest ?? 'SIGTERM',
    command: lastOf('CMD') && list(lastOf('CMD')),
  };
}

/** Returns what is wrong in stages without running them. `hasFile` knows the files of the build context. */
export function stageFaults(stages, hasFile) {
  const faults = stages.flatMap((stage, at) => {
    const earlier = stages.slice(0, at).map(({ name }) => name);
    return stage.steps.filter(({ name }) => name === 'COPY').flatMap((step) => copyFaults(step, earlier, hasFile));
  });
  const { user, command, health, volumes } = containerSettings(stages.at(-1));
  if (!/^[1-9]\d*:[1-9]\d*$/.test(user ?? '')) faults.push('USER must be the numbers of a user and group, not of root');
  if (command === undefined) faults.push('there is no CMD');
  if (health === undefined) faults.push('there is no HEALTHCHECK');
  if (volumes.length !== 1) faults.push('there must be one VOLUME');
  return faults;
}

function instruction({ text, line }) {
  const [word, ...rest] = text.split(' ');
  const name = word.toUpperCase();
  if (!KNOWN.has(name)) throw fault(line, `${name} is not known`);
  return { name, rest: rest.join(' ').trim(), line };
}

function argument({ name, rest, line }) {
  const [, key, value] = /^(\w+)=(\S+)$/.exec(rest) ?? [];
  if (name !== 'ARG' || key === undefined)
    throw fault(line, `${name} ${rest}: only ARG NAME=value may stand before FROM`);
  return [key, value];
}

function stageOf({ rest, line }, defaults) {
  const [, image, name] = /^(\S+)(?: AS (\S+))?$/i.exec(rest) ?? [];
  if (image === undefined) throw fault(line, 'FROM is not an image');
  return { base: image.replaceAll(/\$\{(\w+)\}/g, (_, key) => defaults[key]), name, steps: [] };
}

function copyFaults(step, earlier, hasFile) {
  const { from, sources } = readCopy(step);
  const at = `Dockerfile, line ${step.line}`;
  if (from !== undefined) return earlier.includes(from) ? [] : [`${at}: there is no stage ${from}`];
  return sources.filter((source) => !hasFile(source)).map((source) => `${at}: ${source} is not in the build context`);
}

/** Returns the instructions, each on one line, without comments. */
function instructions(text) {
  const found = [];
  let open;
  for (const [at, line] of text.split('\n').entries()) {
    if (/^\s*#/.test(line) || line.trim() === '') continue;
    const continues = line.endsWith('\\');
    const part = (continues ? line.slice(0, -1) : line).trim();
    if (open) open.text += ` ${part}`;
    else open = { text: part, line: at + 1 };
    if (continues) continue;
    found.push(instruction(open));
    open = undefined;
  }
  if (open) throw fault(open.line, 'the last line continues');
  return found;
}

function assignments({ rest, line }) {
  return rest.split(/\s+/).map((text) => {
    const [, name, value] = /^(\w+)=([^"'$\\]*)$/.exec(text) ?? [];
    if (name === undefined) throw fault(line, `${text} is not a plain NAME=value`);
    return [name, value];
  });
}

/** A shell in between would keep signals from the program. */
function list({ rest, line }) {
  try {
    const command = JSON.parse(rest);
    if (Array.isArray(command) && command.length > 0 && command.every((each) => typeof each === 'string'))
      return command;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw fault(line, 'a command must be a list: a shell in between keeps signals from the program');
}

function fault(line, text) {
  return new Error(`Dockerfile, line ${line}: ${text}`);
}
