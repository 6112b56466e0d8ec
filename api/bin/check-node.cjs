// Node runs this first and it uses old syntax, because an old Node could not even parse the rest.
'use strict'

const wanted = require('../../package.json').engines.node.replace('>=', '').split('.').map(Number)
const found = process.versions.node.split('.').map(Number)

if (found[0] < wanted[0] || (found[0] === wanted[0] && found[1] < wanted[1])) {
  process.stderr.write(
    '[action-gate] Node ' +
      wanted.join('.') +
      ' or newer is needed, and this is ' +
      process.versions.node +
      '.\n',
  )
  process.exit(1)
}
