/** A frame of the walk: a node and how many of its ways were taken. */
interface Frame {
  readonly node: number;
  next: number;
}

/**
 * The strongly connected components of a graph (Tarjan), each a list of nodes; a component comes after those that it leads to.
 * Nodes are 0 to `count - 1`. Without recursion: a chain may be as long as memory allows. Time in proportion to nodes and ways.
 */
export function findComponents(count: number, nextOf: (node: number) => readonly number[]): readonly (readonly number[])[] {
  const order = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const isOpen = new Uint8Array(count);
  const open: number[] = [];
  const components: number[][] = [];
  let counter = 0;
  const frames: Frame[] = [];
  const enter = (node: number): void => {
    order[node] = counter;
    low[node] = counter;
    counter += 1;
    isOpen[node] = 1;
    open.push(node);
    frames.push({ node, next: 0 });
  };
  const lower = (node: number, to: number): void => {
    if (to < (low[node] ?? 0)) low[node] = to;
  };
  const leave = (node: number): void => {
    frames.pop();
    const parent = frames.at(-1);
    if (parent !== undefined) lower(parent.node, low[node] ?? 0);
    if (low[node] !== order[node]) return;
    const members = open.splice(open.lastIndexOf(node));
    for (const member of members) isOpen[member] = 0;
    components.push(members);
  };
  for (let start = 0; start < count; start += 1) {
    if (order[start] !== -1) continue;
    enter(start);
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const next = nextOf(frame.node)[frame.next];
      frame.next += 1;
      if (next === undefined) leave(frame.node);
      else if (order[next] === -1) enter(next);
      else if (isOpen[next] === 1) lower(frame.node, order[next] ?? 0);
    }
  }
  return components;
}
