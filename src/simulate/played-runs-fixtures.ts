import { propertyRuns } from '../core/property-fixtures.ts';

/** How many runs are played where all are a hundred or more; a tenth of them, but never so few that two teams cannot be told apart. */
export function playedRuns(all: number): number {
  return Math.min(all, propertyRuns(all) + 20);
}
