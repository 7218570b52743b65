import type { PlayedTurn } from './played-run.ts';
import type { HatTopic } from './simulation-report.ts';

/** A circle of a run and how often it was gone round. */
export interface Circle {
  /** Who handed on by which topic; begins with the hat whose id is first in the alphabet, so that the same circle is always written the same. */
  readonly steps: readonly HatTopic[];
  readonly rounds: number;
}

/**
 * The circles in which a run went: its way from turn to turn, from which each circle is cut out as soon as it closes. In time proportional
 * to the number of turns.
 */
export function findCircles(turns: readonly PlayedTurn[]): readonly Circle[] {
  const circles = new Map<string, { readonly steps: readonly HatTopic[]; rounds: number }>();
  const way: PlayedTurn[] = [];
  const places = new Map<string, number>();
  for (const turn of turns) {
    const place = places.get(turn.hat);
    if (place === undefined) {
      places.set(turn.hat, way.push(turn) - 1);
      continue;
    }
    const steps = toSteps(way.slice(place), turn);
    const key = JSON.stringify(steps);
    const known = circles.get(key);
    if (known === undefined) circles.set(key, { steps, rounds: 1 });
    else known.rounds += 1;
    for (const cut of way.splice(place + 1)) places.delete(cut.hat);
  }
  return [...circles.values()];
}

/** Each turn of the circle with the topic that led to the next one. */
function toSteps(circle: readonly PlayedTurn[], closing: PlayedTurn): readonly HatTopic[] {
  const steps = circle.map(({ hat }, index) => ({ hat, topic: (circle[index + 1] ?? closing).given[0]?.topic ?? '' }));
  const first = steps.reduce((best, step, index) => (step.hat < (steps[best]?.hat ?? '') ? index : best), 0);
  return [...steps.slice(first), ...steps.slice(0, first)];
}
