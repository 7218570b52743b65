/** Speaks of the promise, or of the end, without giving it. */
import { PROMISE } from '../project.mjs';

export const saysDoneInProse = [
  {
    variant: 'will-say-it',
    what: 'does half and says that it will print the promise when the tests pass; does the rest in its second turn',
    act: (agent) => {
      if (agent.turn > 1) return agent.finish();
      agent.doHalf();
      agent.say(`dates is next. I will print ${PROMISE} as soon as the tests pass.`);
    },
  },
  {
    variant: 'repeats-the-task',
    what: 'says its prompt back each turn, and does nothing',
    act: (agent) => agent.say(`You want:\n${agent.prompt}\nI will think about it.`),
  },
  {
    variant: 'without-the-promise',
    what: 'does all in its first turn, and says so each turn, but never with the promise',
    act: (agent) => {
      if (agent.turn === 1) for (const name of ['slug', 'dates']) agent.put(name, 'good');
      agent.say('Everything is done and all tests are green.');
    },
  },
  {
    variant: 'not-yet',
    what: 'does half and says that it is not yet the promise; does the rest in its second turn',
    act: (agent) => {
      if (agent.turn > 1) return agent.finish();
      agent.doHalf();
      agent.say(`Not ${PROMISE} yet: dates is missing.`);
    },
  },
];
