import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { needed, ROOT, run, runStep, version } from './step.ts'

/** Packs the npm package into `release/`, with the repository that npm's provenance must find in it. */
await runStep(() => {
  const { GITHUB_REPOSITORY: repository } = needed(['GITHUB_REPOSITORY'], 'the package names its repository')
  const output = resolve('release')
  const temp = mkdtempSync(join(tmpdir(), 'aspy-pack-'))
  try {
    mkdirSync(output, { recursive: true })
    run('npm', ['pack', '--pack-destination', temp], { cwd: ROOT })
    run('tar', ['-xzf', `aspy-${version}.tgz`], { cwd: temp })
    const folder = join(temp, 'package')
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object
    const url = `git+https://github.com/${repository}.git`
    writeFileSync(
      join(folder, 'package.json'),
      `${JSON.stringify({ ...manifest, repository: { type: 'git', url } }, null, 2)}\n`,
    )
    // Its scripts build from the sources, which are not in it.
    run('npm', ['pack', '--ignore-scripts', '--pack-destination', output], { cwd: folder })
  } finally {
    rmSync(temp, { recursive: true, force: true })
  }
})
