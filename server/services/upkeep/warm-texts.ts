import type { Deps } from '../../deps.js';

/** UTF-16 code units of each sample: more than of work that runs at once, and enough that each loop is compiled. */
const LENGTH = 12_000;

/** Pieces of samples: prose, scripts without spaces, characters that stand for words, marks, pictographs and signs. */
const PIECES = [
  `It's 3 pm, they don't go: "see" (a_b) and @zoe a@b.c! 4111 1111 1111 1112 sk-1 eyJ.eyJ. . 's `,
  'The deploy runs on Friday at 3 pm, says Zoë. 倉庫は四階にあります。 ',
  '字',
  '한글',
  'かな',
  'กข',
  '㌖½ﷺ1 ',
  'e\u0301\u0316x\u0300\u0316\uff9e ',
  '😀👩\u200d ',
  '。— ¿’…(４１１１\u200b',
];

/**
 * Does long work of each kind, so that the first long text of a caller meets a thread that is started, has loaded the
 * word table, and has compiled the code for texts of every kind. Code that is not compiled takes up to ten times as
 * long.
 *
 * @param embed embeds the samples; undefined for an embedder of a provider, which would be called
 * @param stopping ends the work before the next sample
 */
export async function warmTexts(
  { texts, contentScan }: Pick<Deps, 'texts' | 'contentScan'>,
  embed: Deps['embedder'] | undefined,
  stopping: AbortSignal,
): Promise<void> {
  for (const piece of PIECES) {
    if (stopping.aborted) return;
    const sample = piece.repeat(LENGTH / piece.length);
    const row = texts.row(undefined);
    await row.read(await row.normalize(sample, sample.length));
    await contentScan?.([sample], row);
    await embed?.embed([sample], 'document');
  }
}

/** Makes a local embedder load its model. */
export async function warmModel(local: Deps['embedder']): Promise<void> {
  await local.embed(['a word'], 'query');
}
