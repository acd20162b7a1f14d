interface Size {
  texts: number;
  /** By estimate. */
  tokens: number;
}

/** Texts that are sent together. */
export interface Batch<Item> extends Size {
  items: Item[];
}

/** Divides items, in order, into batches of at most `max`. A larger item goes alone. */
export function divide<Item extends Size>(items: readonly Item[], max: Size): Batch<Item>[] {
  const batches: Batch<Item>[] = [];
  for (const item of items) {
    const last = batches.at(-1);
    if (last && last.texts + item.texts <= max.texts && last.tokens + item.tokens <= max.tokens) {
      last.items.push(item);
      last.texts += item.texts;
      last.tokens += item.tokens;
    } else {
      batches.push({ items: [item], texts: item.texts, tokens: item.tokens });
    }
  }
  return batches;
}
