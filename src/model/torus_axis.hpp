#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/topology.hpp"

namespace weft::model {

/// Loads of the links along one axis of a torus, in both directions. Messages are noted only where
/// their stretch of a line begins and ends. busiest() sums them up. Lines after the last line with
/// messages cost neither memory nor time, so few ranks on a large torus are cheap.
class TorusAxis {
 public:
  /// Axis `number` of a torus; nodes next to each other on it are `stride` apart.
  TorusAxis(const Topology& torus, std::size_t number, std::int64_t stride);

  std::int64_t extent() const { return extent_; }
  std::int64_t stride() const { return stride_; }

  /// Adds messages from place a to place b of a line. `line` is the node at place 0 of this line.
  void send(std::int64_t line, std::int64_t a, std::int64_t b, double messages);
  /// Adds the loads of `one_line`, an axis with a single line, `times` times to a line of this
  /// axis. `line` is the node at place 0 of that line.
  void add(const TorusAxis& one_line, std::int64_t line, double times);
  void clear();

  /// `number`: the number of this axis of the torus.
  BusiestLink busiest(double capacity, std::size_t number) const;

 private:
  using Changes = std::vector<double>;

  /// Extends the counts of both directions to this line.
  void reach(std::int64_t line);
  void pass(Changes& changes, std::int64_t line, std::int64_t from, std::int64_t to,
            double messages) const;
  void pass_around(Changes& changes, std::int64_t line, std::int64_t from, std::int64_t to,
                   double messages) const;
  void look_through(const Changes& changes, double capacity, const std::string& name,
                    BusiestLink& found) const;

  std::int64_t extent_;
  std::int64_t stride_;
  bool ring_;
  double ahead_;      ///< share of messages that go forward if both ways are equally short
  Changes forward_;   ///< for each node: the messages on its link to the next node, minus those on
                      ///< the link before
  Changes backward_;  ///< the same for links from the next node to this one
};

/// Returns all axes of a torus, without messages.
std::vector<TorusAxis> axes_of_torus(const Topology& torus);
BusiestLink busiest_of(const std::vector<TorusAxis>& axes, double capacity);

}  // namespace weft::model
