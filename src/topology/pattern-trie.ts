/** A place in a trie: what the segments on the way there stand for. */
interface TrieNode<Value> {
  literals: Map<string, TrieNode<Value>> | null;
  /** Behind a `*` that is not the last segment. */
  star: TrieNode<Value> | null;
  /** Of the pattern that ends here with a word. */
  value: Value | undefined;
  /** Of the pattern whose last segment is a `*` behind this place. */
  open: Value | undefined;
}

/** Topics and patterns by their segments, so that those which meet another one are found without looking at each. */
export interface PatternTrie<Value> {
  readonly root: TrieNode<Value>;
}

/** How much may still be looked at; shared by many questions, so that all of them together take bounded time. */
export interface Effort {
  steps: number;
}

/** An empty trie. */
export function createPatternTrie<Value>(): PatternTrie<Value> {
  return { root: createNode() };
}

/** Adds a topic or pattern; one that is there already gets the new value. */
export function addPattern<Value>({ root }: PatternTrie<Value>, pattern: string, value: Value): void {
  const segments = pattern.split('.');
  let node = root;
  for (let index = 0; index < segments.length - 1; index += 1) node = stepInto(node, segments[index] as string);
  const last = segments[segments.length - 1] as string;
  if (last === '*') node.open = value;
  else stepInto(node, last).value = value;
}

/**
 * Visits everything in the trie that some topic matches together with the given topic or pattern, in no particular order, until `visit` says
 * false. A topic meets exactly the patterns that match it.
 *
 * @returns false where the effort was spent before everything was looked at
 */
export function visitMeeting<Value>(
  trie: PatternTrie<Value>,
  pattern: string,
  visit: (value: Value) => boolean,
  effort: Effort = { steps: Number.POSITIVE_INFINITY },
): boolean {
  const segments = pattern.split('.');
  const nodes: TrieNode<Value>[] = [trie.root];
  const depths: number[] = [0];
  const push = (node: TrieNode<Value>, depth: number): void => {
    nodes.push(node);
    depths.push(depth);
  };
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    const depth = depths.pop() as number;
    effort.steps -= 1;
    if (effort.steps < 0) return false;
    const isBelow = depth > segments.length;
    if (depth >= segments.length && node.value !== undefined && !visit(node.value)) return true;
    if (depth === segments.length) continue;
    if (node.open !== undefined && !visit(node.open)) return true;
    const segment = segments[depth];
    if (isBelow || segment === '*') {
      // Behind the last `*` of the pattern everything further down meets it too.
      const next = isBelow || depth === segments.length - 1 ? segments.length + 1 : depth + 1;
      effort.steps -= node.literals?.size ?? 0;
      if (effort.steps < 0) return false;
      for (const child of node.literals?.values() ?? []) push(child, next);
      if (node.star !== null) push(node.star, next);
    } else {
      const child = node.literals?.get(segment as string);
      if (node.star !== null) push(node.star, depth + 1);
      if (child !== undefined) push(child, depth + 1);
    }
  }
  return true;
}

function createNode<Value>(): TrieNode<Value> {
  return { literals: null, star: null, value: undefined, open: undefined };
}

function stepInto<Value>(node: TrieNode<Value>, segment: string): TrieNode<Value> {
  if (segment === '*') {
    node.star ??= createNode();
    return node.star;
  }
  node.literals ??= new Map();
  let child = node.literals.get(segment);
  if (child === undefined) {
    child = createNode();
    node.literals.set(segment, child);
  }
  return child;
}
