import { BLOCK, readDocuments } from '../documents.mjs';
import { NOT_RUN } from './not-run.mjs';

const SHELLS = ['bash', 'console', 'sh', 'shell', 'zsh'];
const OUTPUTS = ['', 'json'];
const COMMAND = /^(?:\$ |curl |export |npm |npx )/;

/**
 * The shell blocks of all documents: those to run, and what is wrong with the list of the others.
 *
 * Each has its document, its code, and the output that the document shows for it, if any: the next block, with at most a
 * paragraph between.
 */
export async function readShellBlocks() {
  const documents = await readDocuments();
  const all = documents.flatMap(({ name, text }) => shellBlocks(name, text));
  const listed = Object.entries(NOT_RUN).flatMap(([document, begins]) =>
    Object.keys(begins).map((begin) => ({ document, begin })),
  );
  return {
    run: all.filter((block) => !listed.some((entry) => isMeant(entry, block))),
    notRun: listed.length,
    faults: [
      ...documents.flatMap(({ name, text }) => unlabelled(name, text)),
      ...listed
        .filter((entry) => all.filter((block) => isMeant(entry, block)).length !== 1)
        .map(({ document, begin }) => `${document}: not one shell block begins with "${begin}", which is not run`),
    ],
  };
}

function isMeant({ document, begin }, block) {
  return block.document === document && block.code.startsWith(begin);
}

function shellBlocks(document, text) {
  const blocks = [...text.matchAll(BLOCK)];
  return blocks.flatMap((block, index) => {
    const code = typed(block.groups);
    return code === undefined ? [] : [{ document, code, shown: shownAfter(text, block, blocks[index + 1]) }];
  });
}

/** Returns what a reader types for a block. JavaScript is saved and run; TypeScript is part of an example. */
function typed({ language, code }) {
  if (language === 'js') return `cat >try.mjs <<'END'\n${code}END\nnode try.mjs`;
  return SHELLS.includes(language) ? code : undefined;
}

function shownAfter(text, block, next) {
  if (next === undefined || !OUTPUTS.includes(next.groups.language)) return undefined;
  const between = text.slice(block.index + block[0].length, next.index).trim();
  if (between.includes('\n\n') || between.startsWith('#')) return undefined;
  const { language, code } = next.groups;
  return { language, code, isRefusal: language === 'json' && code.startsWith('{"error":') };
}

function unlabelled(document, text) {
  return [...text.matchAll(BLOCK)]
    .filter(({ groups }) => groups.language === '' && COMMAND.test(groups.code))
    .map(({ groups }) => `${document}: a shell block without its language: ${groups.code.split('\n')[0]}`);
}
