import { expect, test, vi } from 'vitest'
import type { Exported } from './exported.ts'
import { shortPaths } from './short-paths.ts'
import { event, pageOf, call, result, textFrom } from './fixtures/page-of.ts'

test('what failed has its turn, and the turn in which the same call passed later', async () => {
  const { html } = await pageOf([
    call(1, 'a', 'Bash', { command: 'npm test' }),
    result(2, 'a', { output: 'Exit code 1\n=== RUN TestSum\n2 failed', is_error: true }),
    call(3, 'b', 'Bash', { command: 'npm test' }),
    result(4, 'b', { output: '12 passed' }),
    call(5, 'c', 'Bash', { command: 'npm run lint' }),
    result(6, 'c', { output: 'Exit code 1\nno', is_error: true }),
  ])
  expect(textFrom(html, '<h2>What failed</h2>', '</section>')).toBe(
    'Call Error Bash npm test turn 1 2 failed passed later, in turn 1 Bash npm run lint turn 1 no the same call did not pass later',
  )
})

test('the page says that nothing failed, what was refused, and what nobody can know', async () => {
  const failed = async (...items: Exported[]) =>
    textFrom((await pageOf(items)).html, '<h2>What failed</h2>', '</section>')
  const run = call(1, 'a', 'Bash', { command: 'rm x' })
  expect(await failed(run, result(2, 'a', {}))).toBe('Nothing failed.')
  expect(await failed(run, result(2, 'a', { rejected: true, is_error: true }))).toContain('Bash rm x turn 1 refused')
  expect(await failed(run)).toBe('Nothing that is known. 1 tool call without a recorded result may have failed.')
  const error = event(3, { type: 'overloaded', message: 'Wait' }, { kind: 'error' })
  expect(await failed(error)).toContain('overloaded turn 1 Wait')
  const again = event(4, { type: 'overloaded', message: 'Wait' }, { kind: 'error' })
  expect(await failed(error, again)).toContain('overloaded ×2 turn 1 Wait')
  const ofHooks = { ...run, event: { ...run.event, source: 'hook' as const } }
  expect(await failed(ofHooks)).toContain('Only hooks recorded this session, so API errors are not known.')
})

test('paths begin at the project or at home; files and data keep theirs', () => {
  const short = (text: string) => shortPaths({ text }, '/home/ann.b/app').text
  expect(short('cd /home/ann.b/app && cat "/home/ann.b/app/src/a.ts"')).toBe('cd ~/app && cat "src/a.ts"')
  expect(short('ls /home/ann.b/app/ /home/ann.b/app-2/x /home/ann.b')).toBe('ls ~/app/ ~/app-2/x ~')
  expect(short('/mnt/home/ann.b/app/x /home/ann.bc/y')).toBe('/mnt/home/ann.b/app/x /home/ann.bc/y')
  expect(shortPaths(String.raw`C:\Users\ann\app\a.ts C:\Users\ann\b`, String.raw`C:\Users\ann\app`)).toBe(
    String.raw`a.ts ~\b`,
  )
  const edit = { file_path: '/root/app/a', new_string: '/root/app/b' }
  expect(shortPaths(edit, '/root/app')).toEqual({ file_path: 'a', new_string: '/root/app/b' })
})

test('the page says how the session ended: with the last answer, without one, or still open', async () => {
  const asked = (at: number, text: string, more: object = {}) => event(at, { text, ...more }, { kind: 'user_prompt' })
  const ending = async (...items: Exported[]) => {
    const { html } = await pageOf(items)
    return textFrom(html, '<main>', '<h2>Transcript</h2>')
  }
  const answer = event(2, { text: '**Done.** All pass.' })
  expect(await ending(asked(1, 'Go'), answer, asked(3, '/compact', { entered_as: 'command' }))).toContain(
    'How it ended Last prompt: Go Done. All pass.',
  )
  const long = event(2, { text: `# Fixed\n\n- one\n- two\n\n${'All pass. '.repeat(99)}` })
  const { html } = await pageOf([asked(1, 'Go'), long])
  const ended = html.slice(html.indexOf('<h2>How it ended'), html.indexOf('<h2>Transcript'))
  expect(ended).toMatch(/<h4 dir="auto">Fixed<\/h4><ul><li>.*one.*two.*<\/ul><p dir="auto">…<\/p>/s)
  expect(await ending(asked(1, 'Go'), answer, asked(3, 'On'))).toContain('The last prompt has no answer.')
  expect(await ending(asked(1, 'Go'), answer, call(3, 'c', 'Bash', {}))).toContain('has no final answer.')
  expect(await ending(answer)).not.toContain('How it ended')
  vi.useFakeTimers({ now: Date.parse('2026-05-01T11:00:00Z'), toFake: ['Date'] })
  expect(await ending(asked(1, 'Go'), answer)).toContain('still open when this page was made, 1 May 2026 16:30:00')
  vi.useRealTimers()
  expect(await ending(asked(1, 'Go'), answer)).not.toContain('still open')
})

test('the first prompt is whole at the top, unless the title is all of it', async () => {
  const asked = (text: string, more: object = {}) => event(1, { text, ...more }, { kind: 'user_prompt' })
  const top = async (...items: Exported[]) =>
    textFrom((await pageOf(items)).html, '<main>', '<h2>What failed</h2>').split(' How it ended')[0]
  const long = `Look at it.\n${'word '.repeat(100)}end.`
  expect(await top(asked('/model x', { entered_as: 'command' }), asked(long))).toBe(
    `What was asked first Look at it. ${'word '.repeat(100)}end.`,
  )
  expect(await top(asked('T'), event(2, { text: 'Done.' }))).not.toContain('What was asked')
})
