import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { packagesWithInstallScripts, shippedPackages, thirdPartyNotices } from '../../../scripts/third-party.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** Licences that permit shipping under the MIT licence with a notice. */
const PERMISSIVE =
  /^(MIT|MIT-0|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|BlueOak-1\.0\.0|Python-2\.0|OFL-1\.1|CC0-1\.0|Unlicense)$/

test('THIRD_PARTY_NOTICES.md lists what ships', () => {
  expect(readFileSync(join(ROOT, 'THIRD_PARTY_NOTICES.md'), 'utf8')).toBe(thirdPartyNotices())
})

test('THIRD_PARTY_NOTICES.md has the licence text of all but three packages, whose authors ship none', () => {
  const notices = readFileSync(join(ROOT, 'THIRD_PARTY_NOTICES.md'), 'utf8')
  const withText = new Set(notices.split('\n').flatMap((line) => (line.startsWith('- ') ? [line.slice(2)] : [])))
  const without = shippedPackages()
    .map(({ name, version }) => `${name} ${version}`)
    .filter((one) => !withText.has(one))
  expect(without.map((one) => one.split(' ')[0])).toEqual(['lazy-val', 'postgres', 'sugar-high'])
  for (const words of [
    'Permission is hereby granted, free of charge, to any person obtaining a copy',
    'TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION',
    'SIL OPEN FONT LICENSE Version 1.1',
    'Copyright (c) Electron contributors',
    'Copyright Node.js contributors. All rights reserved.',
    'Copyright (c) Meta Platforms, Inc. and affiliates.',
  ]) {
    expect(notices).toContain(words)
  }
})

test('every licence permits it', () => {
  const isPermissive = (licence: string) => licence.split(' AND ').every((each) => PERMISSIVE.test(each))
  expect(shippedPackages().filter(({ licence }) => !isPermissive(licence))).toEqual([])
})

test('every package that the bundles contain is listed', () => {
  const shipped = new Set(shippedPackages().map(({ name }) => name))
  const folder = join(ROOT, 'src')
  const imported = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|css)$/.test(name) && !/\.test\./.test(name))
    .flatMap((name) => [
      ...readFileSync(join(folder, name), 'utf8').matchAll(/(?:from |import |url\()['"]([@a-z][\w@/.-]*)['"]/g),
    ])
    .map(([, path = '']) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'))
    .filter((name) => name in manifest.devDependencies || name in manifest.dependencies)
  expect(imported.length).toBeGreaterThan(100)
  expect([...new Set(imported)].filter((name) => !shipped.has(name))).toEqual([])
})

test('no package runs a script when it is installed', () => {
  expect(packagesWithInstallScripts()).toEqual([])
  expect(readFileSync(join(ROOT, 'docs/supply-chain.md'), 'utf8')).toContain('No package runs a script')
})

test('a script is found in the manifest of a package that npm has marked', () => {
  using folder = makeTempFolder('aspy-scripts-')
  const marked = (name: string, manifest: object, isNative = false) => {
    const path = `node_modules/${name}`
    mkdirSync(join(folder.path, path), { recursive: true })
    writeFileSync(join(folder.path, path, 'package.json'), JSON.stringify(manifest))
    if (isNative) writeFileSync(join(folder.path, path, 'binding.gyp'), '')
    return [path, { version: '1.0.0', hasInstallScript: true }] as const
  }
  const packages = Object.fromEntries([
    marked('prebuilt', { gypfile: false, scripts: { test: 'x' } }, true),
    marked('compiled', {}, true),
    marked('downloads', { gypfile: false, scripts: { postinstall: 'x' } }),
    ['node_modules/elsewhere', { version: '1.0.0', hasInstallScript: true }],
    ['node_modules/unmarked', { version: '1.0.0' }],
  ])
  expect(packagesWithInstallScripts({ packages }, folder.path)).toEqual(['compiled', 'downloads', 'elsewhere'])
})
