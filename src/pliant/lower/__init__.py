"""Laws for every compiler: source, assembly, link, emit, build. Knows no engine."""
