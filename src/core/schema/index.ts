/** Door to `core/schema`: findings about a configuration, and JSON Schema: what is wrong with one, what it asks for in words. */
export { describeShape } from './describe-shape.ts';
export type {
  Finding,
  FlowFinding,
  HatList,
  ItemSubject,
  ListSubject,
  RelatedSubject,
  Repair,
  RepairChange,
  Severity,
  Subject,
} from './finding.ts';
export { listSchemaFaults, type SchemaFault } from './list-schema-faults.ts';
