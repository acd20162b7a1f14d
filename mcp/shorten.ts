import { isObject } from './json-schema.js';

type Body = Readonly<Record<string, unknown>>;

/** Longer members are left out if shortening the contents is not enough. */
const LONG_MEMBER_CHARS = 200;

/** Characters around a string in JSON. */
const QUOTES = 2;

/** Minimum length of a preview. Fewer entries are more useful than shorter previews. */
const MIN_PREVIEW_CHARS = 60;

const READ_ON =
  'Contents marked truncated are cut to fit. Read one in full with memory_get and its id, or increase maxChars.';
const FEWER = 'Entries are left out to fit. Request fewer at once, or increase maxChars.';
const LONG_TEXT = 'The content is cut to fit. Read the rest with memory_get, the id and offset = nextOffset.';
const LONG_MEMBERS = 'Long metadata is left out to fit. Increase maxChars to see it.';
const FEWER_VALUES = 'Rare or long values are left out to fit. Narrow the filter, or increase maxChars.';

/**
 * Shortens a response to at most `maxChars` characters of JSON. Cuts contents to previews first, and only then leaves out
 * entries. Marks what was cut and says how to read the rest.
 *
 * @param offset the position in the content of a single memory to start from
 */
export function shorten(body: Body, maxChars: number, offset = 0): Body {
  const text = typeof body.content === 'string' ? body.content : undefined;
  if (text !== undefined && offset > 0) return fitText(body, text, maxChars, offset);
  if (fitsIn(body, maxChars)) return body;
  if (text !== undefined) return fitText(body, text, maxChars, 0);
  if (Array.isArray(body.results)) return fitList(body, 'results', body.results, maxChars);
  if (Array.isArray(body.changes)) return fitList(body, 'changes', body.changes, maxChars);
  return isObject(body.facets) ? fitFacets(body, body.facets, maxChars) : body;
}

/** Returns the length of a value as JSON. */
export function sizeOf(value: unknown): number {
  return (JSON.stringify(value) ?? '').length;
}

/** Returns the start of a text, without splitting a character. */
export function beginning(text: string, length: number): string {
  const isInsidePair = /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return text.slice(0, isInsidePair ? length - 1 : length);
}

/** Shortens one memory to as much of its content, from the offset on, as fits. */
function fitText(body: Body, text: string, maxChars: number, offset: number): Body {
  const bare = { ...body, content: '' };
  const isLean = sizeOf(bare) > maxChars / 2;
  const frame = { ...lean(bare, isLean), ...(offset > 0 && { offset }), ...(isLean && { note: LONG_MEMBERS }) };
  const cutShort = { ...frame, truncated: true, note: isLean ? `${LONG_TEXT} ${LONG_MEMBERS}` : LONG_TEXT };
  const room = maxChars - sizeOf({ ...cutShort, nextOffset: text.length });
  const rest = text.slice(offset);
  let part = beginning(rest, room);
  while (part !== '' && sizeOf(part) > room + QUOTES) {
    part = beginning(part, Math.min(part.length - 1, Math.floor((part.length * room) / sizeOf(part))));
  }
  const end = offset + part.length;
  return end < text.length ? { ...cutShort, content: part, nextOffset: end } : { ...frame, content: part };
}

/** Shortens a list of memories or changes. */
function fitList(body: Body, name: 'results' | 'changes', entries: readonly unknown[], maxChars: number): Body {
  const memories = entries.filter(isObject);
  const frame = sizeOf({ ...body, [name]: [], note: `${READ_ON} ${FEWER}`, omitted: entries.length });
  const room = maxChars - frame - memories.length;
  for (const isLean of [false, true]) {
    const length = longestPreview(memories, isLean, room);
    if (length !== undefined)
      return { ...body, [name]: memories.map((each) => cut(each, length, isLean)), note: READ_ON };
  }
  const short = memories.map((each) => cut(each, MIN_PREVIEW_CHARS, true));
  const kept = Math.max(1, countThatFit(short, maxChars - frame - nextCursorRoom(name)));
  return {
    ...body,
    [name]: short.slice(0, kept),
    omitted: memories.length - kept,
    ...(name === 'changes' && resumeAfter(body, memories[kept - 1])),
    note: `${READ_ON} ${FEWER}`,
  };
}

/** Returns the longest preview length with which all entries fit, or undefined if none does. */
function longestPreview(memories: readonly Body[], isLean: boolean, room: number): number | undefined {
  const fits = (length: number) =>
    countThatFit(memories, room, (each) => cut(each, length, isLean)) === memories.length;
  if (!fits(MIN_PREVIEW_CHARS)) return undefined;
  let low = MIN_PREVIEW_CHARS;
  let high = Math.max(low, room);
  while (high - low > low / 10) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function cut(memory: Body, length: number, isLean: boolean): Body {
  const { content } = memory;
  const isLong = typeof content === 'string' && content.length > length;
  const shown = isLong ? { ...memory, content: `${beginning(content, length)}…`, truncated: true } : memory;
  return lean(shown, isLean);
}

/** Removes the long members of a memory, except its content. They can be read by its id. */
function lean(memory: Body, isWanted: boolean): Body {
  if (!isWanted) return memory;
  const entries = Object.entries(memory);
  const kept = entries.filter(([name, value]) => name === 'content' || sizeOf(value) <= LONG_MEMBER_CHARS);
  return { ...Object.fromEntries(kept), ...(kept.length < entries.length && { truncated: true }) };
}

function countThatFit(entries: readonly Body[], room: number, shape = (entry: Body) => entry): number {
  let left = room;
  for (const [index, entry] of entries.entries()) {
    left -= sizeOf(shape(entry)) + 1;
    if (left < 0) return index;
  }
  return entries.length;
}

function nextCursorRoom(name: string): number {
  return name === 'changes' ? 100 : 0;
}

/** Returns the cursor after the last shown change, so that a reader resumes there (section 4.9). */
function resumeAfter({ meta }: Body, last: Body | undefined): Body {
  return { meta: { ...(isObject(meta) && meta), hasMore: true }, nextCursor: `${last?.updatedAt}|${last?.id}` };
}

function fitFacets(body: Body, facets: Body, maxChars: number): Body {
  const short = (values: unknown, most: number) =>
    (Array.isArray(values) ? values : []).filter((value) => sizeOf(value) <= LONG_MEMBER_CHARS).slice(0, most);
  for (const most of [100, 50, 25, 10, 5, 2, 1]) {
    const fewer = Object.fromEntries(Object.entries(facets).map(([key, values]) => [key, short(values, most)]));
    const shown = { ...body, facets: fewer, note: FEWER_VALUES };
    if (fitsIn(shown, maxChars)) return shown;
  }
  return { ...body, facets: {}, note: FEWER_VALUES };
}

/** Reports if a body fits. Stops as soon as it does not, to save work. */
function fitsIn(body: Body, maxChars: number): boolean {
  let left = maxChars - 2;
  for (const [name, value] of Object.entries(body)) {
    left -= name.length + 4;
    const parts = Array.isArray(value) ? value : [value];
    left -= Array.isArray(value) ? 2 : 0;
    for (const part of parts) {
      if (left < 0) return false;
      left -= sizeOf(part) + 1;
    }
  }
  return left >= 0;
}
