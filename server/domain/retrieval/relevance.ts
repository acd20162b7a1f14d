/**
 * Points of a curve from the similarity of an embedder to relevance, joined by lines between (0, 0) and (1, 1). Both
 * coordinates rise and lie between 0 and 1. Without points, relevance is the similarity.
 */
export type RelevanceCurve = readonly Point[];

type Point = readonly [similarity: number, relevance: number];

const START: Point = [0, 0];
const END: Point = [1, 1];
/** Bound on the rounding errors of both functions together. */
const ROUNDING = 1e-12;

/** Returns the relevance of a similarity, both in [0, 1]. A higher similarity has a higher relevance. */
export function relevanceOf(curve: RelevanceCurve, similarity: number): number {
  return interpolate(curve, similarity);
}

/** Returns a similarity that all memories of at least this relevance have. It is too low by rounding errors at most. */
export function similarityFor(curve: RelevanceCurve, relevance: number): number {
  if (relevance === 0) return 0;
  const inverse = curve.map(([similarity, of]): Point => [of, similarity]);
  return Math.max(0, interpolate(inverse, relevance) - ROUNDING);
}

/** Returns a test for contents that equal a query apart from case and white space, so that their relevance is 1. */
export function sameTextAs(query: string): (content: string) => boolean {
  const wanted = folded(query);
  // Folds no long content for a short query, and no content that begins otherwise.
  return (content) =>
    content.length <= 2 * query.length && mayBeginWith(content, wanted.charCodeAt(0)) && folded(content) === wanted;
}

/** Reports if a content, once folded, may begin with a character. Folding changes printable ASCII only in case. */
function mayBeginWith(content: string, character: number): boolean {
  const first = content.charCodeAt(0);
  const isPrintableAscii = first > 0x20 && first < 0x7f;
  return !isPrintableAscii || content.charAt(0).toLowerCase().charCodeAt(0) === character;
}

function folded(text: string): string {
  return text
    .toLowerCase()
    .replace(/\p{White_Space}+/gu, ' ')
    .trim();
}

/** @param curve points between the start and the end */
function interpolate(curve: readonly Point[], at: number): number {
  let next = 0;
  while (next < curve.length && (curve[next] as Point)[0] < at) next += 1;
  const [x0, y0] = curve[next - 1] ?? START;
  const [x1, y1] = curve[next] ?? END;
  return Math.min(y1, y0 + ((at - x0) / (x1 - x0)) * (y1 - y0));
}
