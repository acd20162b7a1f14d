import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
/** A file beside the sources that only the compiler sees. */
const VIRTUAL = `${FOLDER}examples.virtual.ts`;
/** Names that the examples use. */
const PRELUDE = `
import { MemoryClient, chunkDocument, syncDocument } from './index.js';
import { ArchiveTally, exportAll, exportRecords, importAll, readArchiveHeader, verifyArchive } from './archive.js';
import { StandInService } from './testing/index.js';
import { signTestWebhook, verifyWebhook } from './webhooks.js';
declare const client: MemoryClient;
declare const user: ReturnType<typeof client.forSubject<'user-1'>>;
declare const standIn: StandInService;
declare const tally: ArchiveTally;
declare const signal: AbortSignal;
declare const request: Request;
declare const lines: string[];
declare const id: string, webhookId: string, deliveryId: string, invitationId: string, userId: string;
declare const sessionId: string, tokenId: string, erasureId: string, token: string, code: string, url: string;
declare const password: string, newPassword: string, secret: string, text: string;
`;

interface Documented {
  name: string;
  example: string | undefined;
}

const files = [
  ...[
    'client.ts',
    'archive.ts',
    'transport/calls.ts',
    'documents/chunk-document.ts',
    'documents/sync-document.ts',
    'webhooks.ts',
  ],
  ...['scope', 'resources'].flatMap((folder) => readdirSync(`${FOLDER}${folder}`).map((file) => `${folder}/${file}`)),
  'testing/stand-in-service.ts',
].filter((file) => !file.endsWith('.test.ts'));
const documented = files.flatMap(documentedOf);

describe('every public method and function', () => {
  test('has an example', () => {
    expect(documented.filter(({ example }) => example === undefined).map(({ name }) => name)).toEqual([]);
    expect(documented.length).toBeGreaterThan(100);
  });

  test('has an example that compiles', () => {
    const blocks = documented.map(({ example = '' }) => `export async function _() {\n${example}\n}\n`);
    const faults = faultsOf(PRELUDE + blocks.map((block, index) => block.replace('_', `_${index}`)).join(''));

    expect(faults).toEqual([]);
  });
});

/** Lists the exported functions of a file, and the public methods of its exported classes and interfaces of calls. */
function documentedOf(file: string): Documented[] {
  const source = ts.createSourceFile(file, readFileSync(FOLDER + file, 'utf8'), ts.ScriptTarget.Latest, true);
  return source.statements.filter(isExported).flatMap((statement) => {
    if (ts.isFunctionDeclaration(statement)) return file === 'transport/calls.ts' ? [] : [documentOf(file, statement)];
    if (ts.isInterfaceDeclaration(statement) && file === 'transport/calls.ts' && statement.name.text.endsWith('Call')) {
      return statement.members.filter(ts.isMethodSignature).map((member) => documentOf(file, member));
    }
    if (!ts.isClassDeclaration(statement)) return [];
    const isInternal = statement.name?.text === 'Binding';
    return isInternal ? [] : statement.members.filter(isPublicMethod).map((member) => documentOf(file, member));
  });
}

function documentOf(file: string, node: ts.NamedDeclaration): Documented {
  const tag = ts.getJSDocTags(node).find(({ tagName }) => tagName.text === 'example');
  return { name: `${file} ${node.name?.getText()}`, example: tag && ts.getTextOfJSDocComment(tag.comment) };
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function isPublicMethod(member: ts.ClassElement): member is ts.MethodDeclaration | ts.GetAccessorDeclaration {
  return (ts.isMethodDeclaration(member) || ts.isGetAccessorDeclaration(member)) && ts.isIdentifier(member.name);
}

/** Compiles a text beside the sources, and returns its errors. */
function faultsOf(text: string): string[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => name === VIRTUAL || fileExists.call(host, name);
  host.readFile = (name) => (name === VIRTUAL ? text : readFile.call(host, name));
  host.getSourceFile = (name, version, ...rest) =>
    name === VIRTUAL ? ts.createSourceFile(name, text, version) : getSourceFile.call(host, name, version, ...rest);
  const program = ts.createProgram([VIRTUAL], options, host);
  const source = program.getSourceFile(VIRTUAL);
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
    ({ messageText, start = 0 }) =>
      `${text.slice(start, text.indexOf('\n', start))}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
  );
}
