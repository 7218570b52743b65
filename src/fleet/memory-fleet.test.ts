import { describeFleet } from './fleet-contract-fixtures.ts';
import { createMemoryFleet } from './fleet-fixtures.ts';

const memory = createMemoryFleet();

describeFleet('memory', async () => memory);
