// Preloaded into every server under load: none outlives the bench, even one that is killed.
process.on('disconnect', () => process.exit(1));
