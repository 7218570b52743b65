import { hasWildcard } from '../../core/index.ts';
import { isTerminalTopic } from '../queries.ts';
import { createTakerIndex } from '../taker-index.ts';
import type { Topology } from '../topology.ts';

const MAX_LINES = 10;
const MAX_COLUMNS = 92;
const MAX_NAME = 28;
/** Of what one hat may publish, and of those who take one topic, so many are drawn. */
const MAX_FROM_ONE = 20;

/** Something that a hat publishes, and the hat that takes it or words in brackets. */
interface Step {
  readonly topic: string;
  readonly taker: string;
  readonly isHat: boolean;
}

/** What is left to be drawn. */
interface Walk {
  /** True for a hat that was not there before. */
  readonly meet: (hat: string) => boolean;
  /** What a hat publishes next; `take` says that it is drawn. */
  readonly peek: (hat: string) => Step | undefined;
  readonly take: (hat: string) => void;
  /** The first hat that was met and has more to publish. */
  readonly next: () => string | undefined;
}

/**
 * The flow of events from the entry as lines of text, bounded in both directions: `task.start → planner → build.task → builder`. A line follows
 * the events until it meets a hat that was there before; the next begins at a hat that has more to publish.
 */
export function renderFlow(topology: Topology): readonly string[] {
  const walk = createWalk(topology);
  walk.meet(topology.entry);
  const lines: string[] = [];
  let head = `${clipName(topology.startTopic)} → ${clipName(topology.entry)}`;
  for (let from: string | undefined = topology.entry; from !== undefined; head = clipName(from ?? '')) {
    if (lines.length >= MAX_LINES) return [...lines, '  …'];
    const drawn = drawLine(walk, from, head);
    lines.push(`  ${drawn.line}`);
    from = drawn.brokenAt ?? walk.next();
  }
  return lines;
}

/** A name as it is drawn: at most 28 characters. */
export function clipName(name: string): string {
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME - 1)}…`;
}

function drawLine(walk: Walk, from: string, head: string): { readonly line: string; readonly brokenAt?: string } {
  let line = head;
  for (let hat = from; ; ) {
    const step = walk.peek(hat);
    if (step === undefined) return { line };
    const longer = `${line} → ${clipName(step.topic)} → ${step.isHat ? clipName(step.taker) : step.taker}`;
    if (longer.length > MAX_COLUMNS && line !== clipName(from)) return { line, brokenAt: hat };
    walk.take(hat);
    line = longer;
    if (!step.isHat || !walk.meet(step.taker)) return { line };
    hat = step.taker;
  }
}

function createWalk(topology: Topology): Walk {
  const left = new Map<string, Step[]>();
  const met: string[] = [];
  let done = 0;
  return {
    meet: (hat) => {
      if (left.has(hat)) return false;
      left.set(hat, listSteps(topology, hat));
      met.push(hat);
      return true;
    },
    peek: (hat) => left.get(hat)?.[0],
    take: (hat) => left.get(hat)?.shift(),
    next: () => {
      while (done < met.length && left.get(met[done] ?? '')?.length === 0) done += 1;
      return met[done];
    },
  };
}

function listSteps(topology: Topology, hat: string): Step[] {
  const index = createTakerIndex(topology);
  const entries = topology.hatById.get(hat)?.publishes.slice(0, MAX_FROM_ONE) ?? [];
  return entries.flatMap((entry): readonly Step[] => {
    const takers = index.takersOf(entry).slice(0, MAX_FROM_ONE);
    if (takers.length > 0) return takers.map((taker) => ({ topic: entry.topic, taker: taker.hat, isHat: true }));
    const isEnd = !hasWildcard(entry.topic) && isTerminalTopic(topology, entry.topic);
    return [{ topic: entry.topic, taker: isEnd ? '(end)' : '(no subscriber)', isHat: false }];
  });
}
