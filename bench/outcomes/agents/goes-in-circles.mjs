/** Works, and comes no further. */
const PLAN = 'My plan: first slug, then dates, then the tests. I begin with a plan.';

export const goesInCircles = [
  {
    variant: 'same-plan',
    what: 'says the same plan each turn',
    act: (agent) => agent.say(PLAN),
  },
  {
    variant: 'back-and-forth',
    what: 'writes slug in one turn and takes it back in the next',
    act: (agent) => {
      agent.put('slug', agent.turn % 2 === 1 ? 'good' : 'stub');
      agent.say('On second thought, the other way is better.');
    },
  },
  {
    variant: 'mends-one-breaks-other',
    what: 'claims the end each turn, with another half that is broken',
    act: (agent) => {
      const isOdd = agent.turn % 2 === 1;
      agent.put('slug', isOdd ? 'good' : 'half');
      agent.put('dates', isOdd ? 'half' : 'good');
      agent.claim('Mended.');
    },
  },
  {
    variant: 'round-then-right',
    what: 'says the same plan three times, then does all',
    act: (agent) => (agent.turn > 3 ? agent.finish() : agent.say(PLAN)),
  },
];
