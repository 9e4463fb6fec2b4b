import type { TalkTurn } from './talk.ts'

type Write = (place: { readonly file: string; readonly functionName: string }) => TalkTurn

const turn = (prompt: string, thought: string, answer: string): TalkTurn => ({ prompt, thought, answer })

/** What people ask about any piece of work, after what they came for. */
export const FOLLOW_UPS: readonly [Write, ...Write[]] = [
  () =>
    turn(
      'Run the whole suite again and commit it.',
      'The message should say why, not what. Run the suite first.',
      'All tests pass. Committed with a message that says why the change was needed.',
    ),
  ({ functionName }) =>
    turn(
      `Write a test for ${functionName} that fails without the change.`,
      `I take the change to ${functionName} back, see the new test fail, and put it in again.`,
      `The new test fails without the change and passes with it. It needs no network and 12 ms.`,
    ),
  ({ file }) =>
    turn(
      `Is there anything else in ${file} that worries you?`,
      'One error is swallowed; the name of one parameter says the opposite of what it does.',
      'Two things: an error near the end is swallowed without a log line, and `skip` means “include”. I left both alone, since they are not part of this.',
    ),
  () => turn('Fix both of them, in a second commit.', 'Small and separate.', 'Done, in a commit of their own.'),
  () =>
    turn(
      'Put it into the changelog, in words a user understands.',
      'No function names. One line.',
      'Added under “Fixed”, one line, without names from the code.',
    ),
  ({ functionName }) =>
    turn(
      `Who else calls ${functionName}?`,
      'Search the repository, including scripts.',
      'Three places: two in the package itself and one script. None of them depends on the old behavior.',
    ),
  () =>
    turn(
      'Please review your own diff as if somebody else had written it.',
      'Unused import; a comment that repeats the code; the test name is vague.',
      'I would ask for three changes: an import that is no longer used, a comment that repeats the code, and a test whose name says nothing. All three are done.',
    ),
  () =>
    turn(
      'Does the documentation still say the truth?',
      'README mentions the old option.',
      'One sentence in the README described the old behavior. It is corrected.',
    ),
  () =>
    turn(
      'How would we notice if this breaks again?',
      'A test for the cause, a metric for the symptom.',
      'The test notices the cause. For the symptom there is a counter now, shown on the health page; it should stay at zero.',
    ),
  () =>
    turn(
      'Open a pull request with a short description.',
      'What was wrong, why, how it was tested.',
      'The description says what was wrong, why, and how it was tested, in five lines.',
    ),
  () =>
    turn(
      'The linter complains in CI. Look at it, please.',
      'Unused variable in the test after the rename.',
      'A variable of the test was left over after the rename. It is gone, and CI is green.',
    ),
  ({ file }) =>
    turn(
      `Could we make ${file} shorter?`,
      'Two helpers do the same for different types.',
      'By 30 lines: two helpers did the same for two types. The tests did not change.',
    ),
  () => turn('go on', 'The next step is the second half of the list.', 'Finished the rest of the list.'),
  () => turn('Yes, do that.', 'As proposed.', 'Done as proposed, and the tests pass.'),
  () =>
    turn(
      'What is still open here?',
      'The migration for old data; the docs of the option.',
      'Only one thing: data written before this change stays as it is. I would leave that until somebody needs it.',
    ),
  () =>
    turn(
      'How risky is it to release this today?',
      'The change is behind no flag but small and tested.',
      'Low risk: the change is small, tested, and can be taken back by one revert. I would still not do it on a Friday evening.',
    ),
]

/** What is thought and said between two steps of any work. */
export const STEP_TEXTS: readonly string[] = [
  'I’ll read the code before I change anything.',
  'Let me see who calls it.',
  'First a test that shows the problem.',
  'The test fails as expected. Now the fix.',
  'Let me run the tests.',
  'That was not it. I’ll look at the history of the file.',
  'One more place does the same.',
  'Now the case with no data at all.',
]

export const STEP_THOUGHTS: readonly string[] = [
  'Before I change this I want to see it fail. The existing tests only cover the ordinary case.',
  'The name suggests that it returns a copy, but it returns the same object. That may be part of the problem.',
  'I should check the history: this line was added for a reason, and the commit message may say which.',
  'Two places do nearly the same. If I fix only one, the other will bring the problem back.',
  'The simplest change is in the caller. The right one is here, because three callers make the same mistake.',
  'The error message does not say which file it was. I will need that to find out more.',
  'It works for one item. With none, the loop never runs and the result is undefined.',
  'I could add an option, but nobody asked for one. A constant with a comment is enough.',
]

/** What a subagent is asked for, and what it reports. */
export const AGENT_JOBS: readonly (readonly [description: string, prompt: string, report: string])[] = [
  [
    'Find all callers',
    'Find every caller, including scripts and tests. Report file, line and what it relies on.',
    'Found five callers, two of them in tests. One script relies on the order of the result; the others do not.',
  ],
  [
    'Review the error handling',
    'Read the error handling on this path and report what is swallowed.',
    'Two errors are swallowed: a failed write is logged without its reason, and a timeout is treated like an empty answer.',
  ],
  [
    'Check the documentation',
    'Compare the documentation with what the code does. Report each difference.',
    'Three differences: a default that changed from 5 to 10, an option that no longer exists, and an example that does not compile.',
  ],
  [
    'Look for similar code',
    'Find code that does nearly the same in other places.',
    'Two further places do nearly the same. One is older and has the mistake that was fixed here last year.',
  ],
]

/** What tests of any project are called. */
export const TEST_NAMES: readonly string[] = [
  'keeps the order of the input',
  'returns nothing for an empty list',
  'says which file was wrong',
  'survives a restart',
  'does not change its argument',
  'refuses what is too large',
  'goes on after a bad line',
  'takes the newest of two versions',
  'ends when it is cancelled',
  'is the same in every time zone',
  'tries again after a timeout',
  'closes what it opened',
  'counts each item once',
  'reads what an older version wrote',
]

/** Tasks that a list of any work may hold. */
export const TASKS: readonly string[] = [
  'Reproduce the problem in a test',
  'Find out when it began',
  'Fix the cause',
  'Look for the same mistake elsewhere',
  'Run the whole suite',
  'Update the documentation',
  'Write the changelog entry',
  'Ask about old data',
]

/** What a project's newest commits say. */
export const COMMITS: readonly string[] = [
  'Fix the time zone of imported dates',
  'Explain the new option in the README',
  'Test the case without data',
  'Upgrade the test runner',
  'Say which file could not be read',
  'Remove an option that nobody used',
  'Make the error message say what to do',
  'Release 0.9.2',
]
