import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parse } from 'yaml';
import { compileTools } from './tools/catalog.js';

/** Writes the arguments of the tools from openapi.yaml, for the programs that serve them. */
const [source, output] = process.argv.slice(2);
if (source === undefined || output === undefined) throw new Error('usage: compile-tools <openapi.yaml> <output file>');
await mkdir(dirname(output), { recursive: true });
await writeFile(output, JSON.stringify(compileTools(parse(await readFile(source, 'utf8')))));
