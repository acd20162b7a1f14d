/** A question and what answers it. */
export interface Question {
  text: string;
  category: string;
  /** Keys of the documents that hold the answer: at least one. */
  evidence: readonly string[];
}

/** Contents that are stored in one organization, and the questions asked there. */
export interface Collection {
  name: string;
  /** Texts by key. */
  documents: ReadonlyMap<string, string>;
  /** Metadata by key. */
  metadata?: ReadonlyMap<string, Record<string, string | number>>;
  questions: readonly Question[];
}

export interface Dataset {
  name: string;
  collections: readonly Collection[];
}
