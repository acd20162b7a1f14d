import { holdsNull } from '../body/null-character.js';

/** One segment of the paths that begin alike. */
interface Branch<Value> {
  readonly literals: Map<string, Branch<Value>>;
  parameter: Branch<Value> | undefined;
  leaf: Leaf<Value> | undefined;
}

interface Leaf<Value> {
  value: Value;
  /** Names of the parameters, in the order of the path. */
  names: readonly string[];
}

interface Found<Value> {
  value: Value;
  /** Decoded parameters. */
  path: Record<string, string>;
}

const PARAMETER = /^\{(\w+)\}$/;

/**
 * Finds a path of the document by its segments. A segment of the document is either literal or a parameter, which
 * matches any text that is not empty. A literal segment comes before a parameter in its place.
 */
export class PathTree<Value> {
  readonly #root: Branch<Value> = newBranch();
  #depth = 0;

  add(path: string, value: Value): void {
    const segments = path.split('/');
    const names: string[] = [];
    let branch = this.#root;
    for (const segment of segments) {
      const name = PARAMETER.exec(segment)?.[1];
      if (name !== undefined) names.push(name);
      branch = name === undefined ? literalOf(branch, segment) : parameterOf(branch);
    }
    branch.leaf = { value, names };
    this.#depth = Math.max(this.#depth, segments.length);
  }

  /** @param path percent-encoded UTF-8 */
  find(path: string): Found<Value> | undefined {
    // One more than the longest path has shows that a path is too long.
    const segments = path.split('/', this.#depth + 1);
    const values: string[] = [];
    const leaf = descend(this.#root, segments, 0, values);
    if (!leaf) return undefined;
    const parameters: Record<string, string> = {};
    for (let at = 0; at < leaf.names.length; at += 1) parameters[leaf.names[at] ?? ''] = decoded(values[at] ?? '');
    return { value: leaf.value, path: parameters };
  }
}

/** Returns the leaf of the segments from `at` on, and adds the parameters on the way to `values`. */
function descend<Value>(
  branch: Branch<Value>,
  segments: readonly string[],
  at: number,
  values: string[],
): Leaf<Value> | undefined {
  const segment = segments[at];
  if (segment === undefined) return branch.leaf;
  const literal = branch.literals.get(segment);
  const found = literal && descend(literal, segments, at + 1, values);
  if (found || !branch.parameter || segment === '') return found;
  values.push(segment);
  const leaf = descend(branch.parameter, segments, at + 1, values);
  if (!leaf) values.pop();
  return leaf;
}

/**
 * Returns the text of a parameter, with U+0000 still percent-encoded. Such a text is never an id, so it gets the same
 * answer as any unknown one.
 */
function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  const text = decodeURIComponent(segment);
  return holdsNull(text) ? encodeURIComponent(text) : text;
}

function literalOf<Value>({ literals }: Branch<Value>, segment: string): Branch<Value> {
  const known = literals.get(segment) ?? newBranch();
  literals.set(segment, known);
  return known;
}

function parameterOf<Value>(branch: Branch<Value>): Branch<Value> {
  branch.parameter ??= newBranch();
  return branch.parameter;
}

function newBranch<Value>(): Branch<Value> {
  return { literals: new Map(), parameter: undefined, leaf: undefined };
}
