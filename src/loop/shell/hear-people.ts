import type { ExternalEvents } from '../../core/index.ts';
import { judgePayloads } from './judge-payloads.ts';
import type { LoopPorts } from './loop-ports.ts';

/**
 * What people have published since; `null` where that is nothing. A line that is being written is left for the next look, and so is what one read
 * does not take.
 */
export function hearPeople({ outside, checkPayload }: Pick<LoopPorts, 'outside' | 'checkPayload'>, from: number): ExternalEvents | null {
  if (outside === undefined || !outside.hasMore(from)) return null;
  const { signals, problems, offset } = outside.read(from, { final: false });
  if (signals.length === 0 && problems.length === 0) return null;
  return { signals: judgePayloads(signals, checkPayload), problems, outsideOffset: offset };
}
