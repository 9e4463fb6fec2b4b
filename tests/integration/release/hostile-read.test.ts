import { execFile } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { forCmd } from '../../../scripts/release/step.ts'
import { readWorkflow, workflowText, type Job, type Workflow } from '../../support/release/run-job.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** By the first word of a runner's label: what electron-builder may pack there. */
const TARGETS: Readonly<Record<string, string>> = {
  macos: '--mac --arm64 --x64',
  windows: '--win --x64',
  ubuntu: '--linux --x64',
}
const STEP_KEYS = new Set(['uses', 'with', 'run', 'env'])
const JOB_KEYS = new Set('if needs runs-on timeout-minutes environment permissions strategy steps'.split(' '))

/** Returns what a run would do wrong that no step can notice: rights, triggers, shells, names of artifacts. */
function faultsOf({ on, permissions, jobs }: Workflow): readonly string[] {
  return [
    ...Object.keys(on)
      .filter((name) => name !== 'push' && name !== 'workflow_dispatch')
      .map((name) => `${name} runs what others wrote`),
    ...(JSON.stringify(permissions) === '{"contents":"read"}' ? [] : ['every job may write']),
    ...Object.entries(jobs).flatMap(([name, job]) => [...jobFaults(name, job), ...artifactFaults(name, job, jobs)]),
  ]
}

function jobFaults(name: string, job: Job): readonly string[] {
  const rights = Object.entries(job.permissions ?? {})
    .map(([what, right]) => `${what}: ${right}`)
    .toSorted()
    .join()
  const wanted = name === 'publish' ? 'attestations: write,contents: write,id-token: write' : ''
  return [
    ...Object.keys(job)
      .filter((key) => !JOB_KEYS.has(key))
      .map((key) => `${name} has ${key}`),
    ...(rights === wanted ? [] : [`${name} may ${rights || 'nothing'}`]),
    ...(job.strategy?.matrix.include ?? []).flatMap(({ os, targets }) =>
      targets === TARGETS[os.split('-')[0] ?? ''] ? [] : [`${os} packs ${targets}`],
    ),
    ...job.steps.flatMap((step) => [
      ...Object.keys(step)
        .filter((key) => !STEP_KEYS.has(key))
        .map((key) => `a step of ${name} has ${key}`),
      ...(step.uses === undefined || /^actions\/[\w-]+@[0-9a-f]{40}$/.test(step.uses)
        ? []
        : [`${name} uses ${step.uses}, which can be changed`]),
      // Words of its own in the line are read by bash on one runner, and by PowerShell on another.
      ...(/^[\w ./:-]*$/.test((step.run ?? '').replaceAll(/\$\{\{ matrix\.targets \}\}/g, ''))
        ? []
        : [`a shell reads ${step.run}`]),
    ]),
  ]
}

/** An artifact's name is one in a run: a second job of a matrix, or a second run of all jobs, cannot make it again. */
function artifactFaults(name: string, { strategy, steps }: Job, jobs: Workflow['jobs']): readonly string[] {
  const others = Object.entries(jobs).flatMap(([other, { steps: own }]) => (other === name ? [] : uploads(own)))
  return uploads(steps).flatMap(({ with: given = {} }) => [
    ...(strategy === undefined || /\$\{\{ (runner\.os|matrix\.os) \}\}/.test(given['name'] ?? '')
      ? []
      : [`each system makes ${given['name']}`]),
    ...(others.some((other) => other.with?.['name'] === given['name']) ? [`two jobs make ${given['name']}`] : []),
    ...(String(given['overwrite']) === 'true' ? [] : [`${given['name']} is made once`]),
  ])
}

const uploads = (steps: Job['steps']) => steps.filter(({ uses }) => uses?.startsWith('actions/upload-artifact@'))

const PLANTED: readonly (readonly [right: string, wrong: string, said: string])[] = [
  ['desktop-${{ runner.os }}', 'desktop', 'each system makes desktop'],
  ['desktop-${{ runner.os }}', 'npm-package', 'two jobs make npm-package'],
  ['          overwrite: true\n', '', 'desktop-${{ runner.os }} is made once'],
  ['ts --dir\n', 'ts --dir\n        working-directory: out\n', 'a step of self-check has working-directory'],
  ['ts --dir\n', 'ts --dir\n        continue-on-error: true\n', 'a step of self-check has continue-on-error'],
  ['  test:\n', '  test:\n    defaults: { run: { shell: bash } }\n', 'test has defaults'],
  ['      id-token: write\n', '', 'publish may attestations: write,contents: write'],
  ['  test:\n', '  test:\n    permissions: { contents: write }\n', 'test may contents: write'],
  ['  contents: read\n', '  contents: write\n', 'every job may write'],
  [
    '  workflow_dispatch:',
    '  pull_request_target:\n  workflow_dispatch:',
    'pull_request_target runs what others wrote',
  ],
  [
    '${{ matrix.targets }}',
    "'${{ matrix.targets }}'",
    "a shell reads node scripts/release/pack-app.ts '${{ matrix.targets }}'",
  ],
  ['${{ matrix.targets }}', '$TARGETS', 'a shell reads node scripts/release/pack-app.ts $TARGETS'],
  [
    '${{ matrix.targets }}',
    '${{ github.head_ref }}',
    'a shell reads node scripts/release/pack-app.ts ${{ github.head_ref }}',
  ],
  [
    /uses: (actions\/checkout@)\w{40}/.exec(workflowText)?.[0] ?? '',
    'uses: actions/checkout@main',
    'self-check uses actions/checkout@main, which can be changed',
  ],
  ["'--win --x64'", "'--win --x46'", 'windows-2025 packs --win --x46'],
  ['os: macos-15, targets', 'os: windows-2022, targets', 'windows-2022 packs --mac --arm64 --x64'],
]
test('the workflow has no fault that no step of it would notice; each planted one is named', () => {
  expect(faultsOf(readWorkflow())).toEqual([])
  for (const [right, wrong, said] of PLANTED) {
    expect(workflowText).toContain(right)
    expect(faultsOf(readWorkflow(workflowText.replace(right, () => wrong)))).toContain(said)
  }
})

test('a tag that is mistyped starts the workflow, whose first step says what is wrong', async () => {
  using folder = makeTempFolder('aspy-tags-')
  symlinkSync(join(ROOT, 'scripts'), join(folder.path, 'scripts'))
  const check = async (tag: string, version: string) => {
    writeFileSync(join(folder.path, 'package.json'), JSON.stringify({ version, type: 'module' }))
    writeFileSync(
      join(folder.path, 'CHANGELOG.md'),
      `# Changelog\n\n## ${version} (2026-12-01)\n\n### Added\n\n- One.\n`,
    )
    const env = { PATH: process.env['PATH'], GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: tag }
    const script = join(ROOT, 'scripts/release/check-tag.ts')
    try {
      await promisify(execFile)(process.execPath, [script], { cwd: folder.path, env })
      return 'published'
    } catch (error) {
      return (error as { stderr: string }).stderr.trim()
    }
  }
  const { tags } = readWorkflow().on.push
  for (const [tag, version, said] of [
    ['v1.2.3', '1.2.3', 'published'],
    ['1.2.3', '1.2.3', 'the tag is 1.2.3, but package.json has the version 1.2.3'],
    ['V1.2.3', '1.2.3', 'the tag is V1.2.3, but package.json has the version 1.2.3'],
    ['v1.2', '1.2.3', 'the tag is v1.2, but package.json has the version 1.2.3'],
    ['v1.2.4', '1.2.3', 'the tag is v1.2.4, but package.json has the version 1.2.3'],
    ['v1.2.3-rc.1', '1.2.3-rc.1', expect.stringContaining('as if it were final')],
  ] as const) {
    expect([tag, tags.some((pattern) => matchesGlob(tag, pattern))]).toEqual([tag, true])
    expect([tag, await check(tag, version)]).toEqual([tag, said])
  }
})

test('a word for cmd.exe is one word, or is refused', () => {
  expect(
    ['npm', '--access', 'C:\\Users\\Ada Lovelace\\release\\aspy-1.2.3.tgz', 'C:\\a b\\', 'x&y', ''].map(forCmd),
  ).toEqual(['npm', '--access', '"C:\\Users\\Ada Lovelace\\release\\aspy-1.2.3.tgz"', '"C:\\a b\\\\"', '"x&y"', '""'])
  expect(() => forCmd('%PATH%')).toThrow('cmd.exe cannot be given %PATH%')
})
