import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

/** Bytes of the digest at the start of a file of code. */
const DIGEST_BYTES = 32;

/**
 * Loads a CommonJS module, and those that it requires, with the code that `writeCompiled` stored. That takes a third of
 * the time of compiling. A module without code for this version of Node, or that has changed since, is compiled. The
 * module must be in ASCII and must not use `import()`.
 */
export function loadCompiled(file: string): unknown {
  const source = readFileSync(file);
  return evaluate(file, scriptOf(file, source, readCode(file, source)));
}

/** Stores the code of a CommonJS module beside it: of what it calls while it is evaluated, and of no other function. */
export function writeCompiled(file: string): void {
  const source = readFileSync(file);
  if (!isAscii(source)) throw new Error(`${file} is not in ASCII`);
  const script = scriptOf(file, source);
  evaluate(file, script);
  const code = script.createCachedData();
  writeFileSync(codeFile(file), Buffer.concat([digestOf(source, code), code]));
}

/** Returns the path of the code of a module. V8 itself rejects code for other options, or from another build of V8. */
export function codeFile(file: string): string {
  return `${file}.${process.version}-${process.platform}-${process.arch}.code`;
}

/** V8 compares only the length of the source and does not check the code, so the digest is of both. */
function readCode(file: string, source: Buffer): Buffer | undefined {
  const path = codeFile(file);
  if (!existsSync(path)) return undefined;
  const stored = readFileSync(path);
  const code = stored.subarray(DIGEST_BYTES);
  return digestOf(source, code).equals(stored.subarray(0, DIGEST_BYTES)) ? code : undefined;
}

function digestOf(source: Buffer, code: Buffer): Buffer {
  return createHash('sha256').update(source).update(code).digest();
}

function scriptOf(file: string, source: Buffer, code?: Buffer): Script {
  return new Script(`(function (exports, require, module, __filename, __dirname) {\n${source.toString('latin1')}\n})`, {
    filename: file,
    // The source begins in the second line.
    lineOffset: -1,
    ...(code && { cachedData: code }),
  });
}

/** Does what Node does for a CommonJS module, so that others can require it. */
function evaluate(file: string, script: Script): unknown {
  const module = new Module(file);
  const require = requireOf(file);
  require.cache[file] = module;
  try {
    const run = script.runInThisContext() as (...args: unknown[]) => void;
    run.call(module.exports, module.exports, require, module, file, dirname(file));
  } catch (error) {
    delete require.cache[file];
    throw error;
  }
  module.loaded = true;
  return module.exports;
}

function requireOf(file: string): NodeJS.Require {
  const require = createRequire(file);
  const load = (id: string): unknown => {
    const path = id.startsWith('.') ? require.resolve(id) : undefined;
    const isCompiled = path !== undefined && !require.cache[path] && existsSync(codeFile(path));
    return isCompiled ? loadCompiled(path) : require(id);
  };
  return Object.assign(load, require);
}
