/** What tests of devflow and of adapters work with: real repositories and real agents, nothing mocked. */
export { commitFile, giveAnswer, scriptedAgent } from './scripted-agent.js';
export {
  temporaryRepository,
  type TemporaryRepository,
  type TemporaryRepositoryOptions,
} from './temporary-repository.js';
export { readCapture, type Capture, type CaptureReading } from './read-capture.js';
export * from './conformance/index.js';
