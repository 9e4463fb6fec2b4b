import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../shared/event.ts'
import { userInput, workingDirectory } from './prompts.ts'

const said = (texts: readonly string[], kinds?: readonly string[]): JsonObject => ({
  type: 'message',
  role: 'user',
  content: texts.map((text) => ({ type: 'input_text', text })),
  ...(kinds === undefined ? {} : { internal_chat_message_metadata_passthrough: { content_item_kinds: kinds } }),
})

test('marks of the client decide who wrote a part, whatever it says', () => {
  const environment = '<environment_context>\n  <cwd>/work</cwd>\n</environment_context>'
  expect(userInput(said([environment], ['environments.environment_context']))).toBeNull()
  expect(userInput(said([environment], ['user.text']))?.text).toBe(environment)
  expect(userInput(said(['one', 'two'], ['user.text', 'skills.hint']))?.text).toBe('one')
})

test('without marks, what earlier versions wrote is known by its beginning', () => {
  const own = ['<user_instructions>x', '# AGENTS.md instructions for /a', '<turn_aborted>', '<environment_context>']
  own.push('<user_shell_command>\n<command>ls</command>', '<user_action>\n<context>User initiated a review task.')
  expect(own.filter((text) => userInput(said([text])) !== null)).toEqual([])
  expect(userInput(said(['<b>bold</b>?']))?.text).toBe('<b>bold</b>?')
  expect(userInput(said(['hello'], ['unknown']))?.text).toBe('hello')
})

test('an image alone is a prompt; the marks around it are not part of the text', () => {
  const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==' }
  expect(userInput({ role: 'user', content: [image] })).toEqual({ text: '', media: [image] })
  const framed = [
    { type: 'input_text', text: '<image name=[Image #1]>' },
    image,
    { type: 'input_text', text: '</image>' },
  ]
  expect(userInput({ role: 'user', content: [...framed, { type: 'input_text', text: 'What is it?' }] })?.text).toBe(
    'What is it?',
  )
})

test('nothing at all is not a prompt', () => {
  for (const content of ['', '  ', [], null, 7, [null, 7]]) expect(userInput({ role: 'user', content })).toBeNull()
})

test('the working directory is that of the newest environment message', () => {
  const at = (path: string) => said([`<environment_context>\n  <cwd>${path}</cwd>\n</environment_context>`])
  expect(workingDirectory([at('/old'), said(['<cwd>/quoted</cwd>']), at('/new')])).toBe('/new')
  expect(workingDirectory([said(['hello'])])).toBeNull()
})
