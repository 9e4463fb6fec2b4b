import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { networkSettings, runProgram, systemPath } from '../../support/install/installed-package.ts'
import { NODE_VERSIONS, nodeFolder } from '../../support/install/node-versions.ts'
import { recordGh, type RecordedGh } from '../../support/release/recorded-gh.ts'
import { startRegistry, type Registry } from '../../support/release/registry.ts'
import { readWorkflow, runJob, workflowText, type Runner } from '../../support/release/run-job.ts'
import { isHeavy } from '../../support/runner/heavy.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

const ROOT = join(import.meta.dirname, '../../..')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
const TAG = `v${version}`
const PUBLISH = 'node scripts/release/publish.ts'
const GATHERED = ['node scripts/release/check-tag.ts', 'node scripts/release/gather.ts']

/** What the desktop jobs make, by the names that electron-builder gives. */
const DESKTOP = ['mac-arm64.dmg', 'mac-x64.dmg', 'win-x64.exe', 'linux-x64.tar.gz', 'linux-amd64.deb'].map(
  (ending) => `aspy-${version}-${ending}`,
)
const FEEDS = { 'latest.yml': 'win-x64.exe', 'latest-mac.yml': 'mac-x64.dmg', 'latest-linux.yml': 'linux-amd64.deb' }
const feed = (ending: string, of = version) =>
  `version: ${of}\nfiles:\n  - url: aspy-${version}-${ending}\n    sha512: x\npath: aspy-${version}-${ending}\n`

// From the tag to the installed package: the jobs of the workflow as it is written, with npm and a registry of this
// machine, and a `gh` that records.
const temp = makeTempFolder('aspy-rehearsal-')
const workspace = join(temp.path, 'checkout')
const artifacts = join(temp.path, 'artifacts')
const tools = join(temp.path, 'tools')
const workflow = readWorkflow()
let registry: Registry
let gh: RecordedGh

beforeAll(async () => {
  for (const folder of [workspace, artifacts, tools, join(temp.path, 'registry')]) mkdirSync(folder)
  for (const name of ['scripts', 'package.json']) symlinkSync(join(ROOT, name), join(workspace, name))
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')
  writeFileSync(join(workspace, 'CHANGELOG.md'), changelog.replace(/^(## [\d.]+) \(.*\)$/m, '$1 (2026-12-01)'))
  gh = recordGh(tools)
  const upstream = await runProgram('npm', ['config', 'get', 'registry'], { cwd: temp.path, path: [], home: temp.path })
  registry = await startRegistry(join(temp.path, 'registry'), upstream.stdout.trim())
})
afterAll(async () => {
  await registry?.close()
  temp.remove()
})

/** A runner for a tag. Secrets are those of the release unless others are given. */
function runner(secrets: Readonly<Record<string, string>> = { NPM_TOKEN: registry.token }): Runner {
  const github = { event_name: 'push', ref_type: 'tag', token: 'a token of GitHub' }
  const env = {
    ...networkSettings(),
    PATH: [tools, join(ROOT, 'node_modules/.bin'), ...systemPath()].join(delimiter),
    HOME: temp.path,
    GITHUB_REF_TYPE: 'tag',
    GITHUB_REF_NAME: TAG,
    GITHUB_REPOSITORY: 'owner/aspy',
    npm_config_registry: registry.url,
  }
  return { workspace, artifacts, env, contexts: { github, secrets }, done: ['npm ci'] }
}

/** Runs the last job. What was gathered once is gathered. */
const publish = (secrets?: Readonly<Record<string, string>>, done: readonly string[] = GATHERED) =>
  runJob(workflow, 'publish', { ...runner(secrets), done })

test('packs the npm package, and publishes nothing for a branch or by hand', async () => {
  expect(
    await runJob(workflow, 'npm-package', { ...runner(), env: { ...runner().env, npm_config_registry: '' } }),
  ).toBe(true)
  mkdirSync(join(artifacts, 'desktop'))
  for (const name of DESKTOP) writeFileSync(join(artifacts, 'desktop', name), name)
  for (const [name, ending] of Object.entries(FEEDS)) writeFileSync(join(artifacts, 'desktop', name), feed(ending))
  for (const github of [
    { event_name: 'workflow_dispatch', ref_type: 'tag' },
    { event_name: 'push', ref_type: 'branch' },
  ]) {
    const other = runner()
    expect(await runJob(workflow, 'publish', { ...other, contexts: { ...other.contexts, github } })).toBe(false)
  }
  expect(gh.calls()).toEqual([''])
})

test('a secret that is not set, empty or blank stops it before anything is published', async () => {
  await expect(publish({}, [])).rejects.toThrow('NPM_TOKEN must be set')
  for (const blank of ['', ' \n']) await expect(publish({ NPM_TOKEN: blank })).rejects.toThrow('NPM_TOKEN must be set')
  expect(gh.calls()).toEqual([''])
  await expect(publish({ NPM_TOKEN: 'a token of another registry' })).rejects.toThrow(/E40[13]/)
  expect(gh.release()?.isDraft).toBe(true)
})

test('what would not be found, or is of another version, is not gathered', async () => {
  const gather = () => runJob(workflow, 'publish', { ...runner({}), done: [PUBLISH] })
  const desktop = (name: string) => join(artifacts, 'desktop', name)
  const release = join(workspace, 'release')
  for (const [name, text, said] of [
    ['aspy-0.0.9-win-x64.exe', 'old', `holds what is not of ${version}: aspy-0.0.9-win-x64.exe`],
    [`Aspy Setup ${version}.exe`, 'x', `holds what is not of ${version}: Aspy Setup ${version}.exe`],
    ['latest.yml', feed('win-ia32.exe'), `latest.yml names aspy-${version}-win-ia32.exe`],
    ['latest-mac.yml', feed('mac-x64.dmg', '0.0.9'), 'latest-mac.yml is of 0.0.9'],
    ['latest-linux.yml', null, 'latest-linux.yml is missing'],
  ] as const) {
    const before = existsSync(desktop(name)) ? readFileSync(desktop(name)) : null
    if (text === null) rmSync(desktop(name))
    else writeFileSync(desktop(name), text)
    // Each run has a workspace of its own.
    rmSync(release, { recursive: true, force: true })
    await expect(gather()).rejects.toThrow(said)
    rmSync(desktop(name), { force: true })
    if (before !== null) writeFileSync(desktop(name), before)
  }
  rmSync(release, { recursive: true, force: true })
  await gather()
  expect(gh.calls().filter((call) => call.startsWith('release create'))).toHaveLength(1)
})

test('a tag of another version publishes nothing', async () => {
  const other = runner()
  const env = { ...other.env, GITHUB_REF_NAME: 'v9.9.9' }
  await expect(runJob(workflow, 'publish', { ...other, env })).rejects.toThrow('the tag is v9.9.9')
  await expect(runJob(workflow, 'publish', { ...other, env, done: GATHERED })).rejects.toThrow('the tag is v9.9.9')
})

test('a run that failed is repeated: what was done stays, and is done once', async () => {
  gh.failAt('release upload')
  await expect(publish()).rejects.toThrow('gh release ended with 1')
  // As somebody pasted it.
  const pasted = { NPM_TOKEN: `${registry.token}\n` }
  gh.failAt('release edit')
  await expect(publish(pasted)).rejects.toThrow('gh release ended with 1')
  expect(gh.release()?.isDraft).toBe(true)
  gh.failAt(null)
  await publish()
  expect(gh.release()).toMatchObject({ isDraft: false, notes: expect.stringContaining('###') })
  expect(gh.release()?.files).toEqual(
    [...DESKTOP, `aspy-${version}.tgz`, 'SHA256SUMS', ...Object.keys(FEEDS), 'package-texts.tar.gz'].toSorted(),
  )
  const calls = gh.calls().length
  await publish()
  expect(gh.calls().slice(calls)).toEqual([`release view ${TAG}`])
  expect(gh.calls().filter((call) => call.startsWith('release create'))).toHaveLength(1)
})

test('another package of a version that was published is refused', async () => {
  const archive = join(artifacts, 'npm-package', `aspy-${version}.tgz`)
  const kept = readFileSync(archive)
  writeFileSync(archive, Buffer.concat([kept, Buffer.from('\0')]))
  await expect(publish()).rejects.toThrow('is not what was gathered')
  await expect(publish(undefined, [])).rejects.toThrow(`npm has another aspy@${version}`)
  writeFileSync(archive, kept)
})

test('a wrong path in the workflow fails', async () => {
  for (const [right, wrong] of [
    ["path: 'release/aspy-*.tgz'", "path: 'out/aspy-*.tgz'"],
    ["subject-path: 'release/aspy-*'", "subject-path: 'dist/aspy-*'"],
    [PUBLISH, 'node scripts/publish.ts'],
  ] as const) {
    const broken = readWorkflow(workflowText.replace(right, wrong))
    const isPacking = right.startsWith('path')
    if (isPacking) cpSync(join(artifacts, 'npm-package'), join(workspace, 'release'), { recursive: true })
    const done = ['npm ci', 'node scripts/release/pack-npm.ts', ...GATHERED]
    await expect(runJob(broken, isPacking ? 'npm-package' : 'publish', { ...runner(), done })).rejects.toThrow()
  }
})

// The Node that comes with the package is a large download. `install/packed.test.ts` installs the same archive.
test.each(isHeavy ? NODE_VERSIONS : [])(
  'the published package is installed, started and stopped on Node %s',
  async (node) => {
    await until('the registry passes packages on', async () => (await fetch(`${registry.url}better-sqlite3`)).ok)
    const { code, stdout, stderr } = await runProgram(
      process.execPath,
      [join(ROOT, 'scripts/release/check-package.ts'), `aspy@${version}`],
      {
        cwd: workspace,
        path: [await nodeFolder(node)],
        home: temp.path,
        env: { npm_config_registry: registry.url },
      },
    )
    expect(code, stderr).toBe(0)
    expect(stdout).toContain(`installed, started and stopped on v${node}`)
  },
)
