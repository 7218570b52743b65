import fc from 'fast-check';

/** Where property tests begin: with a new seed at every run, a check would fail now and then on code that nobody changed. */
const DEFAULT_SEED = 20_261_123;

const asked = process.env['RALPH_PROPERTY_SEED'];
if (asked !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: asked === undefined ? DEFAULT_SEED : Number(asked) });
