/** What an adapter package imports: the contract, and the parts that adapters are made of. */
export * from './contract.js';
export type * from './agent-event.js';
export { readAnswer, type Answer } from './answer.js';
export { readMarker } from './markers.js';
export { mcpVariables, type LocalMcpServer, type McpServer, type RemoteMcpServer } from './mcp.js';
export { type Fields, fields, items, number, readEntry, text } from './json-line.js';
export { type FoundEvent, missingServer, otherEvent, plainLine } from './found-event.js';
export { commandKind, cut, oneLine } from './words.js';
export { addKnown, addUsage, usageBy, usageSince } from './usage.js';
export { type Clock, resetInstant } from './reset-time.js';
export { type CliOptionRules, type CliOptions, readCliOptions } from './cli-options.js';
export {
  type CliFacts,
  type Findings,
  combine,
  inspectBilling,
  inspectProgram,
  inspectReviewArgs,
  problem,
} from './cli-preflight.js';
export { MEMBER_NAMES, shapeProblems } from './shape.js';
export { nearest, suggestion } from './suggestion.js';
export { finishes } from './finishes.js';
