import type { ExternalEvents, SignalProblem } from '../../core/index.ts';
import { judgePayloads } from './judge-payloads.ts';
import type { LoopPorts } from './loop-ports.ts';

/** One look reads so often at most; each read becomes an input of its own. */
const MAX_READS = 10;

/**
 * What people have published since, one part for each read, in order; nothing where that is nothing. A line that is being written is left for the next
 * look, and so is what {@link MAX_READS} reads do not take: that is told.
 */
export function* hearPeople(
  { outside, checkPayload }: Pick<LoopPorts, 'outside' | 'checkPayload'>,
  from: number,
): Generator<ExternalEvents> {
  let offset = from;
  for (let reads = 1; reads <= MAX_READS && outside?.hasMore(offset); reads += 1) {
    const batch = outside.read(offset, { final: false });
    const isMore = batch.isFull === true && reads === MAX_READS;
    const problems = isMore ? [...batch.problems, TOO_MUCH] : batch.problems;
    offset = batch.offset;
    if (batch.signals.length > 0 || problems.length > 0)
      yield { signals: judgePayloads(batch.signals, checkPayload), problems, outsideOffset: offset };
    if (batch.isFull !== true) return;
  }
}

const TOO_MUCH: SignalProblem = {
  where: 'outside.jsonl',
  message: 'more stands there than one read takes; the rest comes with the next read',
  excerpt: '',
};
