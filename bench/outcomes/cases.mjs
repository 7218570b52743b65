/** The forty agents: ten ways to fail, four of each. */
import { forgesAnEvent } from './agents/forges-an-event.mjs';
import { goesInCircles } from './agents/goes-in-circles.mjs';
import { hangs } from './agents/hangs.mjs';
import { leavesProcesses } from './agents/leaves-processes.mjs';
import { liesAboutTests } from './agents/lies-about-tests.mjs';
import { losesWork } from './agents/loses-work.mjs';
import { quitsEarly } from './agents/quits-early.mjs';
import { saysDoneInProse } from './agents/says-done-in-prose.mjs';
import { weakensATest } from './agents/weakens-a-test.mjs';
import { writesOutsideItsScope } from './agents/writes-outside-its-scope.mjs';

const FAMILIES = {
  'lies about tests': liesAboutTests,
  'weakens a test': weakensATest,
  'quits early': quitsEarly,
  'goes in circles': goesInCircles,
  hangs,
  'leaves processes': leavesProcesses,
  'loses work': losesWork,
  'writes outside its scope': writesOutsideItsScope,
  'forges an event': forgesAnEvent,
  'says done in prose': saysDoneInProse,
};

/** Each case by its name, `family/variant`, where the family is written with dashes. */
export const CASES = Object.entries(FAMILIES).flatMap(([family, variants]) =>
  variants.map((one) => ({ ...one, family, name: `${family.replaceAll(' ', '-')}/${one.variant}` })),
);
