import { type HatSpec, type PlannedTurn, RALPH, TOPIC_CONTINUE, TOPIC_RESUME, type TurnId } from '../../core/index.ts';
import { deliver } from './publish.ts';
import { change, count, endRun, notify, order, type Step } from './step.ts';

/**
 * Starts the next turn: a planned one (a retry, an interrupted hat, a second chance), else the hat that owns the oldest
 * undelivered event with all its events, else the coordinator.
 */
export function dispatch(step: Step): void {
  const { counted } = step.state.counters;
  const { maxIterations } = step.state.limits;
  const plan = step.state.plans[0];
  if (counted >= maxIterations) return endRun(step, 'max_iterations', `${counted} of ${maxIterations} iterations are used`);
  if (plan !== undefined) {
    change(step, { plans: step.state.plans.slice(1) });
    return start(step, plan);
  }
  if (step.state.pending.length === 0) callFallback(step);
  passExhausted(step);
  const first = step.state.pending[0];
  if (first === undefined) return;
  start(step, takePending(step, first.hat));
}

/** An empty queue: the coordinator or the recovery hat is asked to go on. */
function callFallback(step: Step): void {
  const { topology } = step;
  const topic = topology.coordination === 'solo' ? TOPIC_CONTINUE : TOPIC_RESUME;
  deliver(step, { topic, payload: '', to: [topology.fallback], how: 'fallback' });
}

/** Events of a hat that has had all its activations go to Ralph (who has no such limit). */
function passExhausted(step: Step): void {
  const hat = step.state.pending[0]?.hat;
  const spec = hat === undefined ? undefined : step.topology.hatById.get(hat);
  if (hat === undefined || spec === undefined || spec.maxActivations === null) return;
  if ((step.state.activationCounts[hat] ?? 0) < spec.maxActivations) return;
  const topics = step.state.pending.filter((entry) => entry.hat === hat).map((entry) => entry.event.topic);
  deliver(step, { topic: `${hat}.exhausted`, payload: { max_activations: spec.maxActivations, events: topics }, to: [], how: 'record' });
  notify(step, 'warning', 'hat-exhausted', `${hat} has had its ${spec.maxActivations} activations; Ralph gets its events.`);
  change(step, { pending: step.state.pending.map((entry) => (entry.hat === hat ? { ...entry, hat: RALPH, cause: 'exhausted' } : entry)) });
}

function takePending(step: Step, hat: string): PlannedTurn {
  const entries = step.state.pending.filter((entry) => entry.hat === hat);
  change(step, { pending: step.state.pending.filter((entry) => entry.hat !== hat) });
  const asked = entries.some((entry) => entry.cause === undefined);
  const fallback = asked ? null : (entries[0]?.cause ?? null);
  return { retryOf: null, hat, events: entries.map((entry) => entry.event), feedback: [], fallback };
}

/** Takes what is to be told to a hat. */
function takeFeedback(step: Step, hat: string): PlannedTurn['feedback'] {
  const { [hat]: known, ...rest } = step.state.feedback;
  change(step, { feedback: rest });
  return known ?? [];
}

function start(step: Step, plan: PlannedTurn): void {
  const { hat, events, fallback } = plan;
  const feedback = [...plan.feedback, ...takeFeedback(step, hat)];
  const turn: TurnId = plan.retryOf === null ? { iteration: count(step, 'iteration'), attempt: 1 } : { iteration: plan.retryOf.iteration, attempt: plan.retryOf.attempt + 1 };
  const backend = step.state.backendOf[hat] ?? 0;
  const { timeoutMs, idleTimeoutMs } = wearerOf(step, hat);
  const counts = step.state.activationCounts;
  change(step, {
    activations: [...step.state.activations, { ...turn, hat, backend, events, feedback, fallback, startedAt: step.at, pid: null, processStart: null }],
    activationCounts: plan.retryOf === null ? { ...counts, [hat]: (counts[hat] ?? 0) + 1 } : counts,
  });
  order(step, { type: 'iteration-start', ...turn, hat, backend, events, feedback, fallback, timeoutMs, idleTimeoutMs });
}

/** The limits of whoever wears the hat. */
export function wearerOf(step: Step, hat: string): Pick<HatSpec, 'timeoutMs' | 'idleTimeoutMs' | 'backends'> {
  return step.topology.hatById.get(hat) ?? step.topology.spec.ralph;
}
