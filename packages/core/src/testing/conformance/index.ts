/** What a runner or an adapter must prove, with one format of report for both. */
export { type Verdict } from './case.js';
export { type CaseResult, type ConformanceReport, exitCodeOfReport, notPassed } from './report.js';
export type { SuiteOptions } from './suite.js';
export { jsonReport, markdownReport, terminalReport } from './render.js';
export { answerApart, conformAdapter, conformAdapterApart } from './adapter/index.js';
export { directoryKit, readKit } from './adapter/kit.js';
export type { AdapterKit, AdapterSubject, Wiring } from './adapter/subject.js';
