import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { startAspy } from '../../support/app/aspy-command.ts'
import { few } from '../../support/runner/heavy.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

const setup = (home: string, ...flags: readonly string[]) =>
  startAspy(['setup', '--data', join(home, 'data'), ...flags], { CODEX_HOME: join(home, '.codex') }, home).finished

/** Files as people have them: nothing, a comment, tables, no last line end, Windows line ends, a byte order mark. */
const TEXTS = [
  '',
  '# mine\n',
  'model = "gpt-6-sol"\n\n[mcp_servers.other]\ncommand = "x"\n',
  'model = "gpt-6-sol"\n[projects."/a b"]\ntrust_level = "trusted"',
  'model = "x"\r\n[tui]\r\nnotifications = true\r\n',
  '\uFEFFmodel = "x"\n',
  'mcp_servers.other.command = "x"\ntext = """\n# <<< aspy\n[not a table]\n"""\r\n',
]

test.each(few(TEXTS, 3))('a config file is restored byte for byte: %j', async (text) => {
  using home = makeTempFolder('aspy-setup-codex-')
  const folder = join(home.path, '.codex')
  const file = join(folder, 'config.toml')
  mkdirSync(folder)
  writeFileSync(file, text)
  // Twice: the second run only updates.
  for (let n = 0; n < 2; n += 1) expect(await setup(home.path, '--codex')).toMatchObject({ code: 0 })
  const after = parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, '')) as {
    mcp_servers: { aspy: { args: string[] } }
  }
  expect(after).toMatchObject(parse(text.replace(/^\uFEFF/, '')))
  expect(after.mcp_servers.aspy.args.slice(-3)).toEqual(['mcp', '--data', join(home.path, 'data')])
  expect(readFileSync(join(folder, 'skills/aspy-recall/SKILL.md'), 'utf8')).toContain('aspy_recall_context')
  expect(await setup(home.path, '--undo')).toMatchObject({ code: 0 })
  expect(readFileSync(file).equals(Buffer.from(text))).toBe(true)
  expect(readdirSync(folder)).toEqual(['config.toml'])
  expect(existsSync(join(home.path, 'data/setup.json'))).toBe(false)
})

test('a folder that setup made is gone after undo; changes made since stay', async () => {
  using home = makeTempFolder('aspy-setup-codex-')
  const folder = join(home.path, '.codex')
  await setup(home.path, '--codex')
  expect(existsSync(join(folder, 'config.toml'))).toBe(true)
  await setup(home.path, '--undo')
  expect(existsSync(folder)).toBe(false)

  await setup(home.path, '--codex')
  const file = join(folder, 'config.toml')
  writeFileSync(file, `model = "later"\n${readFileSync(file, 'utf8')}[tui]\nanimations = false\n`)
  await setup(home.path, '--undo')
  expect(readFileSync(file, 'utf8')).toBe('model = "later"\n[tui]\nanimations = false\n')
})

test('a link stays one, and so does the mode of its file', async () => {
  using home = makeTempFolder('aspy-setup-codex-')
  const [folder, dotfiles] = [join(home.path, '.codex'), join(home.path, 'dotfiles.toml')]
  mkdirSync(folder)
  writeFileSync(dotfiles, '# mine', { mode: 0o640 })
  symlinkSync(dotfiles, join(folder, 'config.toml'))
  await setup(home.path, '--codex')
  expect(readFileSync(dotfiles, 'utf8')).toContain('[mcp_servers.aspy]')
  await setup(home.path, '--undo')
  expect(readFileSync(dotfiles, 'utf8')).toBe('# mine')
  expect([statSync(dotfiles).mode & 0o777, realpathSync(join(folder, 'config.toml'))]).toEqual([
    0o640,
    realpathSync(dotfiles),
  ])
})

test("what is the user's own, or damaged, is refused, and nothing is changed", async () => {
  using home = makeTempFolder('aspy-setup-codex-')
  const folder = join(home.path, '.codex')
  mkdirSync(folder)
  const file = join(folder, 'config.toml')
  for (const [text, said] of [
    ['[mcp_servers.aspy]\ncommand = "mine"\n', /an MCP server named aspy already/],
    ['model = \n', /is not valid TOML/],
    ['mcp_servers = { other = { command = "x" } }\n', /write \[mcp_servers\.NAME\]/],
    // Latin-1: it could not be written back.
    ['# caf\u00e9\n', /is not UTF-8/],
  ] as const) {
    writeFileSync(file, text, 'latin1')
    expect(await setup(home.path, '--codex')).toMatchObject({
      code: expect.toBeOneOf([1, 2]),
      stderr: expect.stringMatching(said),
    })
    expect(readFileSync(file, 'latin1')).toBe(text)
    expect(readdirSync(folder)).toEqual(['config.toml'])
  }
  chmodSync(file, 0o400)
  expect(await setup(home.path, '--codex')).toMatchObject({ code: 2, stderr: expect.stringContaining('is read-only') })
  rmSync(file)
  symlinkSync(join(home.path, 'nowhere'), file)
  expect(await setup(home.path, '--codex')).toMatchObject({ code: 2, stderr: expect.stringContaining('is a link') })
  rmSync(file)
  writeFileSync(file, '')
  const refused = await setup(home.path, '--codex', '--base-url')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/aspy run --data \S+ -- codex/) })
  expect(readFileSync(file, 'utf8')).toBe('')
})
