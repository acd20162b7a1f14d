import type { Deps } from '../../deps.js';

/** Words of several scripts, longer than work that runs at once. */
const SAMPLE = 'The deploy runs on Friday at 3 pm, says Zoë. 倉庫は四階にあります。 '.repeat(400);

/**
 * Does long work of each kind once, so that the first long text of a caller meets a thread that is started and has
 * loaded the word table.
 *
 * @param embed embeds the sample; undefined for an embedder of a provider, which would be called
 */
export async function warmTexts(
  { texts, contentScan }: Pick<Deps, 'texts' | 'contentScan'>,
  embed: Deps['embedder'] | undefined,
): Promise<void> {
  const row = texts.row(undefined);
  await row.read(SAMPLE);
  await contentScan?.([SAMPLE], row);
  await embed?.embed([SAMPLE], 'document');
}

/** Makes a local embedder load its model. */
export async function warmModel(local: Deps['embedder']): Promise<void> {
  await local.embed(['a word'], 'query');
}
