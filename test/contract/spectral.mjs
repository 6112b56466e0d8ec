// Prints what the default rules of Spectral (`spectral:oas`) find in an OpenAPI document, as JSON.
import { readFileSync } from 'node:fs'
import spectral from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'

const linter = new spectral.Spectral()
linter.setRuleset({ extends: [rulesets.oas] })
const found = await linter.run(readFileSync(process.argv[2], 'utf8'))
process.stdout.write(JSON.stringify(found.map(({ code, path }) => `${code} at ${path.join('.')}`)))
