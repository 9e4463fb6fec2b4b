import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../shared/event.ts'
import { promptText, queuedTexts, userInputs } from './prompt-text.ts'

const said = (content: Json, all = false) => userInputs(content, all).map(({ text }) => text)
const text = (words: string) => ({ type: 'text', text: words })

describe('the words of a user', () => {
  test.each([
    ['  Fix it. \n', 'Fix it.'],
    ['<system-reminder>\nx\n</system-reminder>\nFix it.', 'Fix it.'],
    ['Fix it.\n<system-reminder>\na\n</system-reminder>\n<system-reminder>\nb\n</system-reminder>', 'Fix it.'],
    [
      '<command-name>/compact</command-name>\n  <command-message>compact</command-message>\n  <command-args>focus on X</command-args>',
      '/compact focus on X',
    ],
    ['<command-message>init</command-message>\n<command-name>/init</command-name>', '/init'],
    ['<command-name>model</command-name>\n<command-args></command-args>', '/model'],
    ['<bash-input>ls -l</bash-input>', '!ls -l'],
    ['<user-memory-input>use tabs</user-memory-input>', '#use tabs'],
    ['<local-command-stdout>Set model</local-command-stdout>', ''],
    ['<task-notification>\n<task-id>a1</task-id>\n</task-notification>', ''],
    [
      '<task-notification>\n<task-id>a1</task-id>\n</task-notification>\nRead the output file to retrieve the result: /tmp/a1',
      '',
    ],
    ['<local-command-stdout>a</local-command-stdout> and a later sentence of the client', ''],
    ['<local-command-stdout> is a tag, is it not?', '<local-command-stdout> is a tag, is it not?'],
    ['[Request interrupted by user for tool use]', ''],
    ['CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\n…', ''],
    ['This session is being continued from a previous conversation that ran out of context.', ''],
    ['<user-prompt-submit-hook>ok</user-prompt-submit-hook>', ''],
    ['Stop hook feedback:\n- run the tests', ''],
    ['Operation stopped by hook: Another session paints the till.\n\nCommit first.', ''],
    ['Operation stopped by hook', ''],
    ['Operation stopped by hooks of mine, why?', 'Operation stopped by hooks of mine, why?'],
    ['(Re-invocation of /paint — the skill instructions were previously loaded; the arguments below are new.)', ''],
    ['Skill /paint is already loaded above; instructions unchanged. Arguments: the\ndoor', ''],
    ['[Cross-session delivery notice] Your message to another session was held for its user.', ''],
    ['Skill /paint is a good one.', 'Skill /paint is a good one.'],
    [
      'Explain this: \n\n<pasted_content id="1dc0">\nline 0\n\n</p>\n</pasted_content id="1dc0">\n\n Thanks.',
      'Explain this: line 0\n\n</p> Thanks.',
    ],
    ['<pasted_content id="a">\none\n</pasted_content id="a">', 'one'],
    ['<pasted_content id="a"> is a tag of the client', '<pasted_content id="a"> is a tag of the client'],
    ['Is <system-reminder> a tag?', 'Is <system-reminder> a tag?'],
    ['<div>\n  <p>Why is this not centred?</p>\n</div>', '<div>\n  <p>Why is this not centred?</p>\n</div>'],
    ['Caveat emptor', 'Caveat emptor'],
  ])('%j', (raw, expected) => expect(promptText(raw)).toBe(expected))

  test.each([
    ['piped, behind a reminder', [text('<system-reminder>x</system-reminder>\n'), text(' Count\n\n')], ' Count\n\n'],
    ['before a reminder, with the break that the client adds', [text('Count\n\n'), text('<tick>1</tick>')], 'Count\n'],
    ['with a tag that may be the client’s', [text('Count <tick>1</tick>\n')], undefined],
    ['without spaces', 'Count', undefined],
  ])('the outer spaces of what was sent stay: %s', (_, content, exact) => {
    expect(userInputs(content)).toMatchObject([{ text: 'Count', ...(exact === undefined ? {} : { exact }) }])
    expect(userInputs(content)[0]?.exact).toBe(exact)
  })

  test('plain words stay as they are, whatever they hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '\n', '<', '>', '/', '"', 'ü', '😀', '&') }), (words) => {
        expect(promptText(words)).toBe(words.trim())
      }),
    )
  })

  test('what a hook says is what wire and transcript say', () => {
    const wrapped =
      '<command-message>hello</command-message>\n<command-name>/hello</command-name>\n<command-args>big world</command-args>'
    expect(promptText(wrapped)).toBe(promptText('/hello big world'))
  })
})

describe('the inputs of a message', () => {
  test('a command takes its expansion with it, but not what comes after its output', () => {
    const wrapped = text('<command-message>hello</command-message>\n<command-name>/hello</command-name>\n')
    expect(said([wrapped, text('Please greet politely.\n')])).toEqual(['/hello'])
    const local = text('<command-name>/cost</command-name>\n<command-message>cost</command-message>\n')
    const output = text('<local-command-stdout>$0.10</local-command-stdout>\n')
    expect(userInputs([local, output, text('Go on.')])).toEqual([
      { text: '/cost', media: [], seen: 'late', as: 'local_command' },
      { text: 'Go on.', media: [], seen: 'now' },
    ])
  })

  test('messages that the client joined are taken apart; one message of several blocks is not', () => {
    expect(said([text('First.\n'), text('Second.')])).toEqual(['Second.'])
    expect(said([text('First.\n'), text('Second.')], true)).toEqual(['First.', 'Second.'])
    expect(said([text('One part,'), text('another part.')])).toEqual(['One part,\nanother part.'])
    expect(said([text('First.'), text('[Request interrupted by user]'), text('Second.')], true)).toEqual([
      'First.',
      'Second.',
    ])
  })

  test('a command that failed keeps neither the prompt nor the command after it to itself', () => {
    const hello = [
      text('<command-message>hello</command-message>\n<command-name>/hello</command-name>\n'),
      text('Greet.\n\n'),
    ]
    const read = text('<system-reminder>\nCalled the Read tool\n</system-reminder>\n')
    const bye = [
      text('<command-message>bye</command-message>\n<command-name>/bye</command-name>\n'),
      text('Say bye.\n\n'),
    ]
    const now = text('Now the question.')
    expect(said([...hello, now])).toEqual(['Now the question.'])
    expect(said([...hello, read, now], true)).toEqual(['/hello', 'Now the question.'])
    expect(said([...hello, read, ...bye])).toEqual(['/bye'])
    expect(said([...hello, ...bye, now], true)).toEqual(['/hello', '/bye', 'Now the question.'])
    expect(said([text('First.\n'), ...hello])).toEqual(['/hello'])
  })

  test('how an input was entered is known by the wrapper that the client gives it', () => {
    const entered = (words: string) => userInputs(words).map(({ as }) => as)
    expect(entered('<command-message>x</command-message>\n<command-name>/x</command-name>')).toEqual(['command'])
    expect(entered('<bash-input>pwd</bash-input>')).toEqual(['shell'])
    expect(entered('<user-memory-input>use tabs</user-memory-input>')).toEqual(['memory'])
    expect(entered('Implement the following plan:\n\n# Paint the door')).toEqual(['plan'])
    expect(entered('/x, !pwd and #tabs are what I type')).toEqual([undefined])
  })

  test('a text that is all tags is a prompt if the source knows that a person typed it', () => {
    const human = (words: string) => userInputs(words, true, true, true).map(({ text: typed }) => typed)
    const tagged = '<local-command-stdout>x</local-command-stdout> is what I see'
    expect(human(tagged)).toEqual([tagged])
    expect(human('<bash-stdout>a</bash-stdout>')).toEqual(['<bash-stdout>a</bash-stdout>'])
    expect(human('<system-reminder>\nMind the tabs.\n</system-reminder>')).toEqual([])
    expect(human('[Request interrupted by user]')).toEqual([])
  })

  test('an image belongs to the words beside it', () => {
    const image = { type: 'image', source: { type: 'base64', data: 'aGk=' } }
    expect(userInputs([text('What is this?'), image, text('[Image: source: /tmp/1.png]')])).toEqual([
      { text: 'What is this?', media: [image], seen: 'now' },
    ])
  })

  test('a message typed while the model worked is found in system messages and reminders', () => {
    const told =
      'The user sent a new message while you were working:\nAnd\n\nthis.\n\nThis is how Claude Code surfaces messages the user sends mid-turn.'
    expect(queuedTexts(told)).toEqual(['And\n\nthis.'])
    expect(userInputs([text(`<system-reminder>\n${told}\n</system-reminder>`)])).toEqual([
      { text: 'And\n\nthis.', media: [], seen: 'late' },
    ])
    expect(queuedTexts('The user sent a letter.')).toBeNull()
    // 2.1.330 joins several into one text.
    expect(queuedTexts(`${told}\n\n${told.replace('this', 'that')}`)).toEqual(['And\n\nthis.', 'And\n\nthat.'])
  })
})
