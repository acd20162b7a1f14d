import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { CompiledContract } from '../http/contract/contract.js';
import { resolveDocument } from './api-document.js';
import { rolesInSession, toOperation } from './operations.js';
import { namedValidatorsCode, requestValidatorsCode } from './validator-code.js';

const [source, folder] = process.argv.slice(2);
if (source === undefined || folder === undefined) throw new Error('usage: main.js DOCUMENT OUTPUT_FOLDER');
await compile(source, folder);

/** Writes what the server needs from openapi.yaml, so that it neither parses the document nor compiles schemas. */
async function compile(source: string, folder: string): Promise<void> {
  const document = parse(await readFile(source, 'utf8')) as { info: { version: string } };
  const { operations, firstFault, everyFault, schemas } = await resolveDocument(document);
  const contract: CompiledContract = { version: document.info.version, operations: operations.map(toOperation) };
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  await mkdir(folder, { recursive: true });
  await copyFile(source, join(folder, 'openapi.yaml'));
  await write('openapi.json', JSON.stringify(document));
  for (const [kind, validator] of Object.entries({ 'first-fault': firstFault, 'every-fault': everyFault })) {
    // Without this, the validators of an operation that was removed would stay.
    await rm(join(folder, kind), { recursive: true, force: true });
    await mkdir(join(folder, kind));
    for (const [id, code] of requestValidatorsCode(validator, operations)) await write(`${kind}/${id}.cjs`, code);
  }
  await write('named-schemas.cjs', namedValidatorsCode({ schemas }));
  await write(
    'operation-roles.json',
    JSON.stringify(
      Object.fromEntries(contract.operations.map((operation) => [operation.id, rolesInSession(operation)])),
    ),
  );
  // Written last, since the build compares the time of this file.
  await write('contract.json', JSON.stringify(contract));
}
