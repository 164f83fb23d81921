/**
 * Where tests stand by the customs of most languages, and what says how they are run. Names that hold only "test"
 * within another word, such as latest.ts, are source.
 */
export const TESTS = [
  '**/{test,tests,__tests__,spec,specs,e2e,testdata,__snapshots__}/**',
  '**/{test,tests,spec}',
  '**/{test,tests,conftest}.*',
  '**/*[-_.]{test,tests,spec}.*',
  '**/{test,tests}[-_]*',
  '**/*{Test,Tests,Spec}.{java,kt,cs,php,swift,scala,groovy,hs}',
  '**/*.{t,bats,snap}',
  // What stands alone: the names that docs and help give, and their like.
  '**/{reproduce,repro}{,[-_]*}{,.*}',
  '**/{check,verify}{,[-_]*}.{sh,bash}',
  '**/run{,-,_}{test,tests}{,.*}',
  // How they are run.
  '**/{jest,vitest,playwright,cypress,karma}.config.*',
  '**/{.mocharc*,pytest.ini,tox.ini,phpunit.xml*}',
  '**/{Makefile,makefile,GNUmakefile,justfile,Justfile}',
  '**/package.json#scripts.test',
];
